-- Facts of blobs: what one file's bytes say by themselves. Everything here can be computed again, so the file may be deleted at any time.
create table if not exists facts (
    layer   text    not null,  -- which extractor
    version text    not null,  -- its version: a new one never reads what an older one wrote
    blob    blob    not null,  -- git's object id, raw
    payload blob    not null,  -- index.storage.packing
    used    integer not null,  -- day (since 1970) of the last use, for the size cap
    primary key (layer, version, blob)
);
create index if not exists facts_used on facts (used);
