/** Rows about vulnerabilities: advisories with their events, published metadata, and libraries. */
import type { TableLoad } from "./bulk_load.ts";
import {
  fromFewPlaces,
  fromPlaces,
  holder,
  resourceColumns,
  shuffledSql,
  startTime,
  uidSql,
} from "./fixtures.ts";

const advisory = uidSql("parent", "0e");

/** The value of ECOSYSTEM_PYTHON. */
const python = 2;

export const feedLoads = (): TableLoad[] => [
  {
    table: "advisories",
    sql: `insert into advisories (${resourceColumns.names}, advisory_id, author, artifact_name, artifact_type,
        artifact_architecture, component_name, component_location, component_type, origin, aliases, severities)
      select ${resourceColumns.of(advisory)}, 'ADV-' || ${shuffledSql}, 'sample', 'package-' || (i / 4), 'apk', 'x86_64',
        'component-' || (i / 4), '', 'apk', 'origin-' || (i / 4), json_array('CVE-2026-' || (10000 + i / 4)), '[]'
      ${fromPlaces}`,
  },
  {
    table: "advisory_events",
    sql: `insert into advisory_events (uid, advisory_uid, create_time, update_time, author, review_state, type, detail)
      select ${advisory} || '/ffffffffffffffff', ${advisory}, ${startTime} + i, ${startTime} + i, 'sample', 1, 1 + i % 2, '{}'
      ${fromPlaces}`,
  },
  {
    table: "advisory_documents",
    sql: `insert into advisory_documents (${resourceColumns.names}, origin)
      select ${resourceColumns.of(uidSql("parent", "07"))}, 'origin-' || i ${fromFewPlaces}`,
  },
  {
    table: "vulnerability_metadata",
    sql: `insert into vulnerability_metadata (${resourceColumns.names}, vulnerability_id, summary)
      select ${resourceColumns.of(uidSql("parent", "08"))}, 'CVE-2026-' || (10000 + i), 'A summary' ${fromFewPlaces}`,
  },
  {
    table: "osv_records",
    sql: `insert into osv_records select ${advisory}, '{"id":"OSV-1","modified":"2026-01-01T00:00:00Z"}' ${fromFewPlaces}`,
  },
];

const artifactColumns = `${resourceColumns.names}, artifact_uid, name, ecosystem`;

/** Each place has its libraries, and one library with as many versions as the place has rows. */
export const artifactLoads = (): TableLoad[] => [
  {
    table: "artifacts",
    sql: `insert into artifacts (${artifactColumns})
      select ${resourceColumns.of(uidSql("parent", "09"))}, printf('%040x', i), 'library-' || ${shuffledSql}, ${python}
      ${fromFewPlaces}`,
  },
  {
    table: "artifacts",
    sql: `insert into artifacts (uid, create_time, update_time, artifact_uid, name, ecosystem, version_count)
      select ${holder}, ${startTime}, ${startTime}, printf('f%039x', rowid), 'versioned', ${python}, 1
      from parents`,
  },
  {
    table: "artifact_versions",
    sql: `insert into artifact_versions (uid, versions)
      select ${holder} || '/' || printf('%016x', i % 32),
        json_group_array(json_array(${startTime} + i, ${startTime} + i, json_array('1.' || i)))
      from (select * ${fromFewPlaces}) group by parent, i % 32`,
  },
];
