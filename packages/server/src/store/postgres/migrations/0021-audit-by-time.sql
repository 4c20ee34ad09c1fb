-- An entry takes the time of what it counts last, so ids are not in the order of times.
CREATE INDEX audit_entries_by_time ON audit_entries (organization_id, at, id);
