"""What /metrics shows. No label holds a name of a person, a repository or an installation: metrics are read by many."""

from __future__ import annotations

from prometheus_client import Counter, Gauge, Histogram

QUICK = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 10.0)
SLOW = (0.1, 0.25, 0.5, 1.0, 2.0, 5.0, 10.0, 30.0, 60.0, 120.0, 300.0, 900.0)

DELIVERIES = Counter("maguyva_deliveries", "Webhook deliveries, by what became of them", ["result"])
ANSWER_SECONDS = Histogram("maguyva_answer_seconds", "From the first byte of a delivery to a durable answer", buckets=QUICK)
JOBS = Counter("maguyva_jobs", "Jobs that ended, by kind and outcome", ["kind", "outcome"])
JOB_SECONDS = Histogram("maguyva_job_seconds", "Time in a job's story", ["kind"], buckets=SLOW)
WAITING = Gauge("maguyva_queue_waiting", "Jobs that wait or run, by queue", ["queue"])
DEAD = Gauge("maguyva_dead_letters", "Jobs that failed for good and wait for somebody to look at them")
WRITES = Counter("maguyva_github_writes", "Requests that wrote something on GitHub")
WRITE_WAITS = Histogram("maguyva_github_write_wait_seconds", "How long a write waited for its turn", buckets=SLOW)
ENGINE_SECONDS = Counter("maguyva_engine_seconds", "Time in engine processes, by task", ["task"])
ENGINES = Gauge("maguyva_engine_processes", "Engine processes alive")
ENGINES_ENDED = Counter("maguyva_engine_processes_ended", "Engine processes that ended")
STALLS = Histogram(
    "maguyva_loop_stall_seconds",
    "How late the event loop was, looked at twenty times a second",
    buckets=(0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.5),
)
RECOVERED = Counter("maguyva_executors_recovered", "Dead workers whose jobs were taken over")
DISK_FREE = Gauge("maguyva_disk_free_bytes", "Free space where indexes and clones are kept")
REPOSITORIES = Gauge("maguyva_repositories", "Repositories we look after")
