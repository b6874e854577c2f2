/** Rows about vulnerabilities: advisories with their events, what is published of them, libraries. */
import type { Load } from "./bulk_load.ts";
import { firstStep, inFewPlaces, inPlaces, resource, shuffled, start, uidIn } from "./estate.ts";

const advisory = uidIn("parent", "0e");

/** ECOSYSTEM_PYTHON. */
const python = 2;

export const feedLoads = (): Load[] => [
  {
    table: "advisories",
    sql: `insert into advisories (${resource.names}, advisory_id, author, artifact_name, artifact_type,
        artifact_architecture, component_name, component_location, component_type, origin, aliases, severities)
      select ${resource.of(advisory)}, 'ADV-' || ${shuffled}, 'sample', 'package-' || (i / 4), 'apk', 'x86_64',
        'component-' || (i / 4), '', 'apk', 'origin-' || (i / 4), json_array('CVE-2026-' || (10000 + i / 4)), '[]'
      ${inPlaces}`,
  },
  {
    table: "advisory_events",
    sql: `insert into advisory_events (uid, advisory_uid, create_time, update_time, author, review_state, type, detail)
      select ${advisory} || '/${firstStep}', ${advisory}, ${start} + i, ${start} + i, 'sample', 1, 1 + i % 2, '{}'
      ${inPlaces}`,
  },
  {
    table: "advisory_documents",
    sql: `insert into advisory_documents (${resource.names}, origin)
      select ${resource.of(uidIn("parent", "07"))}, 'origin-' || i ${inFewPlaces}`,
  },
  {
    table: "vulnerability_metadata",
    sql: `insert into vulnerability_metadata (${resource.names}, vulnerability_id, summary)
      select ${resource.of(uidIn("parent", "08"))}, 'CVE-2026-' || (10000 + i), 'A summary' ${inFewPlaces}`,
  },
  {
    table: "osv_records",
    sql: `insert into osv_records select ${advisory}, '{"id":"OSV-1","modified":"2026-01-01T00:00:00Z"}' ${inFewPlaces}`,
  },
];

const artifactColumns = `${resource.names}, artifact_uid, name, ecosystem`;

/** Each place has its libraries, and one whose versions are as many as the place has rows. */
export const artifactLoads = (): Load[] => [
  {
    table: "artifacts",
    sql: `insert into artifacts (${artifactColumns})
      select ${resource.of(uidIn("parent", "09"))}, printf('%040x', i), 'library-' || ${shuffled}, ${python}
      ${inFewPlaces}`,
  },
  {
    table: "artifacts",
    sql: `insert into artifacts (uid, create_time, update_time, artifact_uid, name, ecosystem, version_count)
      select parent || '/${firstStep}', ${start}, ${start}, printf('f%039x', rowid), 'versioned', ${python}, 1
      from parents`,
  },
  {
    table: "artifact_versions",
    sql: `insert into artifact_versions (${resource.names}, version, sort_key)
      select ${resource.of(uidIn(`parent || '/${firstStep}'`, "0a"))}, '1.' || i, '1.' || ${shuffled} ${inFewPlaces}`,
  },
];
