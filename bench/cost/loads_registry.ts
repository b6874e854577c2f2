/** Rows of the registry: repositories, tags and their history, and data about images. */
import { gzipSync } from "node:zlib";
import type { TableLoad } from "./bulk_load.ts";
import {
  digestSql,
  fromFewPlaces,
  fromPlaces,
  holder,
  resourceColumns,
  shuffledSql,
  startTime,
  uidSql,
} from "./fixtures.ts";

/** SQL: the repository of a place that contains its tags and images. */
const repo = holder;

/** SQL: the digest of the i-th image. Two tags have the same digest. */
const digest = digestSql("i / 2");
const ownDigest = digestSql("i");

/** SQL: typical tag names. Four of ten are plain, and the others belong to the classes that a List hides. */
const tagName = `${shuffledSql} || case when i % 10 < 4 then ''
  when i % 10 < 6 then '-20250' || (1 + i % 9) || '17' when i % 10 < 8 then '-r' || i % 9 else '' end`;

/** In milliseconds: more than the ten minutes that join the moves of many tags (bench/cost/bulk_load.ts). */
const betweenMoves = 601_000;

/** A million moves end at the time of the other rows. */
const firstMove = startTime - 1_000_000 * betweenMoves;

/** An empty document as it is stored: gzip in base64. */
const empty = gzipSync("{}").toString("base64");

export const registryLoads = (): TableLoad[] => [
  {
    table: "repos",
    sql: `insert into repos (${resourceColumns.names}, name)
      select ${resourceColumns.of(uidSql("parent", "05"))}, 'image-' || ${shuffledSql} ${fromPlaces}`,
  },
  {
    table: "repos",
    sql: `insert into repos (uid, create_time, update_time, name)
      select ${repo}, ${startTime}, ${startTime}, 'images' from parents`,
  },
  {
    table: "tags",
    // Four fifths are versions of one line.
    sql: `insert into tags (${resourceColumns.names}, name, digest, deprecated, line, line_key)
      select ${resourceColumns.of(uidSql(repo, "06"))},
        iif(i % 10 > 7, 'sha256-' || printf('%064x', i) || '.sig', ${tagName}), ${digest}, i % 1000 = 0,
        iif(i % 10 > 7, '', '3r|'), iif(i % 10 > 7, '', printf('a1a1%09d', i)) ${fromPlaces}`,
  },
  {
    table: "tag_moves",
    sql: `insert into tag_moves (repo_uid, tag, update_time, digest)
      select ${repo}, 'tag-' || (i / 100), ${firstMove} + i * ${betweenMoves}, ${ownDigest} ${fromFewPlaces}`,
  },
  {
    table: "events",
    sql: `insert into events (uid, id, type, source, subject, group_uid, audience, extensions, body_type, data, time)
      select parent || '/' || printf('8000%012x', i), printf('%08x-0000-4000-8000-%012x', i, i), 'dev.vendor.api.platform.registry.repo.created.v1',
        'https://api.example.com/registry/v2/repos', ${uidSql("parent", "05")}, parent, 'customer', '{}', '',
        '{"actor":{"subject":"someone"}}', ${startTime} + i ${fromFewPlaces}`,
  },
];

export const imageLoads = (): TableLoad[] => [
  {
    table: "manifests",
    sql: `insert into manifests (${resourceColumns.names}, digest, media_type, entries, size, architecture, config)
      select ${resourceColumns.of(uidSql(repo, "10"))}, ${ownDigest}, 'application/vnd.oci.image.manifest.v1+json', '[]',
        1000 + i % 1000, 'amd64', '{"architecture":"amd64","os":"linux"}' ${fromFewPlaces}`,
  },
  {
    table: "sboms",
    sql: `insert into sboms (${resourceColumns.names}, digest, format, spec_version, name, package_count, size,
        content_digest, packages_length, packages, content)
      select ${resourceColumns.of(uidSql(repo, "12"))}, ${ownDigest}, 1, 'SPDX-2.3', 'sample', 0, 2, ${ownDigest}, 2, '${empty}', '${empty}'
      ${fromFewPlaces}`,
  },
  {
    table: "vuln_reports",
    sql: `insert into vuln_reports (${resourceColumns.names}, digest, scan_time, scanner, scanner_version, image_size,
        id_count, finding_bytes, counts, ids, findings)
      select ${resourceColumns.of(uidSql(repo, "11"))}, ${digest}, ${startTime} + i * 1000, 1, '0.92.0', 1000, 1, 2,
        '{"4":1}', '{"4":["CVE-2026-1"]}', '' ${fromFewPlaces}`,
  },
  {
    table: "vuln_report_contents",
    sql: "insert into vuln_report_contents (uid, content) select uid, '' from vuln_reports",
  },
];
