"""What /metrics shows. No label holds a name of a person, a repository or an installation: metrics are read by many.

Two registries, because two processes count: the one that receives, and the one that works. Where they run side by side, the first asks the
second for its page.
"""

from __future__ import annotations

from prometheus_client import REGISTRY, CollectorRegistry, Counter, Gauge, Histogram, ProcessCollector, generate_latest

WEB, WORK = CollectorRegistry(), CollectorRegistry()

QUICK = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 10.0)
SLOW = (0.1, 0.25, 0.5, 1.0, 2.0, 5.0, 10.0, 30.0, 60.0, 120.0, 300.0, 900.0)

DELIVERIES = Counter("maguyva_deliveries", "Webhook deliveries, by what became of them", ["result"], registry=WEB)
ANSWER_SECONDS = Histogram("maguyva_answer_seconds", "From the first byte of a delivery to a durable answer", buckets=QUICK, registry=WEB)
KEEP_SECONDS = Histogram(
    "maguyva_keep_seconds", "Of this, how long the database took, and the disk (SQLite only)", ["part"], buckets=QUICK, registry=WEB
)
STALLS = Histogram(
    "maguyva_loop_stall_seconds",
    "How late the event loop was, looked at twenty times a second",
    buckets=(0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.5),
    registry=WEB,
)
WORKERS_ENDED = Counter("maguyva_worker_restarts", "How often the worker process ended by itself and was started again", registry=WEB)

JOBS = Counter("maguyva_jobs", "Jobs that ended, by kind and outcome", ["kind", "outcome"], registry=WORK)
JOB_SECONDS = Histogram("maguyva_job_seconds", "Time in a job's story", ["kind"], buckets=SLOW, registry=WORK)
WAITING = Gauge("maguyva_queue_waiting", "Jobs that wait or run, by queue", ["queue"], registry=WORK)
DEAD = Gauge("maguyva_dead_letters", "Jobs that failed for good and wait for somebody to look at them", registry=WORK)
WRITES = Counter("maguyva_github_writes", "Requests that wrote something on GitHub", registry=WORK)
WRITE_WAITS = Histogram("maguyva_github_write_wait_seconds", "How long a write waited for its turn", buckets=SLOW, registry=WORK)
ENGINE_SECONDS = Counter("maguyva_engine_seconds", "Time in engine processes, by task", ["task"], registry=WORK)
ENGINES = Gauge("maguyva_engine_processes", "Engine processes alive", registry=WORK)
ENGINES_ENDED = Counter("maguyva_engine_processes_ended", "Engine processes that ended", registry=WORK)
RECOVERED = Counter("maguyva_executors_recovered", "Dead workers whose jobs were taken over", registry=WORK)
DISK_FREE = Gauge("maguyva_disk_free_bytes", "Free space where indexes and clones are kept", registry=WORK)
REPOSITORIES = Gauge("maguyva_repositories", "Repositories we look after", registry=WORK)

WORKER_PROCESS = ProcessCollector(namespace="maguyva_worker", registry=None)


def of_web() -> bytes:
    """What this process counts as the one that receives, and what Python tells of it."""
    return generate_latest(REGISTRY) + generate_latest(WEB)


def of_work() -> bytes:
    """What this process counts as the one that works."""
    return generate_latest(WORK)


def of_worker() -> bytes:
    """The same of a worker process beside one that receives, with what the system tells of it under a name of its own."""
    registry = CollectorRegistry()
    registry.register(WORKER_PROCESS)
    return generate_latest(registry) + of_work()
