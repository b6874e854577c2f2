/** A repository with so many rows in every table that the schedule removes them in batches. */
import { gzipSync } from "node:zlib";
import { expect } from "vitest";
import {
  descriptorOf,
  indexType,
  manifestType,
  newImageOf,
  pushImage,
} from "../../distribution/client.ts";
import type { startOwnRegistry } from "../../distribution/own_registry.ts";
import { registryAudience, requestId, tokenFor } from "../../world/platform.ts";
import { grypeReport, matchOf, packedReport } from "../vuln_reports/grype_reports.ts";

export type Registry = Awaited<ReturnType<typeof startOwnRegistry>>;

/** The tags that {@link newLargeRepository} creates by default. */
export const manyTags = 5_000;

/** A call of the API with a token of the owner. */
export async function callApi(
  { origin, owner }: Registry,
  path: string,
  { method, body }: { method?: string; body?: unknown } = {},
) {
  const response = await fetch(`${origin}${path}`, {
    method: method ?? (body === undefined ? "GET" : "POST"),
    headers: { authorization: `Bearer ${await tokenFor(owner)}`, "x-request-id": requestId },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  return { status: response.status, body: text === "" ? undefined : JSON.parse(text) };
}

async function create(registry: Registry, path: string, body: unknown) {
  const answer = await callApi(registry, path, { body });
  expect(answer.status, JSON.stringify(answer.body)).toBe(200);
  return answer.body;
}

/** An image with a signature, an SBOM, a report and tags, and many more rows in each table. */
export async function newLargeRepository(registry: Registry, name: string, tags = manyTags) {
  const { organization, owner, origin } = registry;
  const token = await tokenFor(owner, { aud: registryAudience }, 3600);
  const target = { origin, name: `${organization}/${name}`, token };
  const image = await pushImage(target, "latest", newImageOf());
  const signature = newImageOf({ subject: descriptorOf(image.text, manifestType) });
  await pushImage(target, signature.digest, signature);
  const [repo] = await registry.run<{ uid: string }>(
    "select uid from repos where parent = ? and name = ?",
    ...[organization, name],
  );
  const uid = repo?.uid ?? "";
  const match = matchOf("CVE-2021-44228", "Critical", {
    artifact: { name: "log4j-core", version: "2.14.0", purl: "pkg:maven/a/log4j-core@2.14.0" },
  });
  const { digest } = image;
  const report = await create(registry, `/registry/v2/vulnReports/${uid}`, {
    ...{ digest, content: packedReport(grypeReport([match])) },
  });
  const components = [{ type: "library", name: "log4j-core", version: "2.14.0" }];
  const bom = JSON.stringify({ bomFormat: "CycloneDX", specVersion: "1.6", components });
  const sbom = await create(registry, `/registry/v2/sboms/${uid}`, {
    ...{ digest, content: gzipSync(bom).toString("base64") },
  });
  await fill(registry, { uid, digest, tags, sbom: sbom.uid });
  const [{ uid: tag } = { uid: "" }] = await registry.run<{ uid: string }>(
    "select uid from tags where parent = ? and name = 'latest'",
    uid,
  );
  const manifest = `${uid}/${digest.slice(7, 23)}`;
  return { uid, name, digest, target, image, tag, manifest, report: report.uid, sbom: sbom.uid };
}

export type Large = Awaited<ReturnType<typeof newLargeRepository>>;

/** The rows of one statement. */
const chunk = 10_000;

async function fill(
  { run }: Registry,
  { uid, digest, tags, sbom }: { uid: string; digest: string; tags: number; sbom: string },
): Promise<void> {
  const numbers = (first: number, n: number) =>
    `with recursive numbers (i) as (select ${first} union all select i + 1 from numbers where i < ${first + n - 1})`;
  const step = `'${uid}/ff' || printf('%014x', i)`;
  for (let first = 0; first < tags; first += chunk) {
    const n = Math.min(chunk, tags - first);
    await run(`insert into tags (uid, name, digest, deprecated, create_time, update_time) ${numbers(first, n)}
      select ${step}, 't' || i, '${digest}', i % 2, 1000 + i, 1000 + i from numbers`);
    await run(`insert into tag_moves (repo_uid, tag, update_time, digest, repo) ${numbers(first, n)}
      select '${uid}', 't' || i, 1000 + i, '${digest}', '' from numbers`);
  }
  const some = numbers(0, 2_500);
  const entries = JSON.stringify([{ digest: `sha256:${"e".repeat(64)}`, architecture: "amd64" }]);
  const fakeDigest = `'sha256:${uid.slice(-16)}' || printf('%048x', i)`;
  const storage = `(select id from repo_storage where uid = '${uid}')`;
  const statements = [
    `insert into findings (uid, image_uid, vulnerability_id, aliases, severity, fix_state, fix_versions, has_fix,
      package_name, package_version, purl, package_key, product_name) ${some}
      select ${step}, (select uid from examined_images where parent = '${uid}'), 'CVE-' || i, '["A"]', 1, 1, '[]', 0,
        'p', '1', '', 'k', 'p' from numbers`,
    `insert into announced_vulnerabilities (image_uid, vulnerability, severity, ids) ${some}
      select (select uid from examined_images where parent = '${uid}'), 'CVE-' || i, 1, '[]' from numbers`,
    `insert into sbom_packages (uid, sbom_uid, name, namespace, version, type, purl, package_key, version_order, sort_key, license) ${some}
      select ${step}, '${sbom}', 'p' || i, '', '1', '', '', '', '', '', '' from numbers`,
    `insert into manifests (uid, digest, media_type, entries, size, create_time, update_time) ${some}
      select ${step}, ${fakeDigest}, '${indexType}', '${entries}', 1, 1, 1 from numbers`,
    `insert into image_signatures (uid, digest, issuer, subject, create_time)
      select uid, digest, 'https://issuer.example.com', 'ana@example.com', 1 from manifests where parent = '${uid}'`,
    `insert into signed_verdicts (uid, policy_uid, digest, due_time)
      select uid, '${uid}', digest, 9e15 from manifests where parent = '${uid}'`,
    `insert into pushed_signatures (uid, digest, create_time, check_time)
      select uid, digest, 1, 1 from manifests where parent = '${uid}'`,
    `insert into verified_signatures (uid, layer, policy_uid, trust_time, digest, predicate_type, key_id, issuer, subject, log_id, create_time)
      select uid, digest, '${uid}', 1, digest, '', 'key', '', '', '', 1 from manifests where parent = '${uid}'`,
    `insert into role_bindings (uid, identity_uid, role_uid, create_time, update_time) ${some}
      select ${step}, printf('%040x', i), roles.uid, 1, 1 from numbers, roles where roles.name = 'viewer' and length(roles.uid) = 40`,
    `insert into image_holds (uid, name, digests, create_time, update_time) ${numbers(0, 100)}
      select ${step}, 'hold-' || i, json_array('${digest}'), 1, 1 from numbers`,
    `insert into sboms (uid, digest, format, spec_version, name, package_count, size, content_digest, packages_length,
      packages, content, create_time, update_time) ${numbers(0, 50)}
      select ${step}, ${fakeDigest}, format, '', '', 0, 1, '', packages_length, packages, content, 1, 1
      from numbers, sboms where uid = '${sbom}'`,
    `insert into vuln_reports (uid, digest, scan_time, scanner, scanner_version, image_size, id_count, finding_bytes, counts,
      ids, findings, create_time, update_time) ${numbers(0, 50)}
      select ${step}, ${fakeDigest}, 1, 1, '', 0, 0, 0, '{}', '{}', findings, 1, 1
      from numbers, vuln_reports where parent = '${uid}'`,
    `insert into blobs (digest, size, content) ${some} select unhex(substr(${fakeDigest}, 8)), 10, '0123456789' from numbers`,
    ...[0, 1].map(
      (kind) => `insert into blob_links (repo_id, kind, blob_id) ${some}
      select ${storage}, ${kind}, blobs.id from numbers join blobs on blobs.digest = unhex(substr(${fakeDigest}, 8))`,
    ),
    `insert into referrers (repo_id, manifest_id, subject, media_type, artifact_type) ${some}
      select ${storage}, blobs.id, x'00', '', '' from numbers join blobs on blobs.digest = unhex(substr(${fakeDigest}, 8))`,
    `insert into uploads (id, repo_id, organization_id, identity_uid, create_time, update_time) ${numbers(0, 12)}
      select '${uid.slice(-8)}' || i, ${storage}, (select organization_id from repo_storage where uid = '${uid}'), 'x', 9e12, 9e12
      from numbers`,
  ];
  for (const one of statements) await run(one);
  await run(`update examined_images set finding_count = (select count(*) from findings where image_uid = examined_images.uid)
    where parent = '${uid}'`);
  await run(`update indexed_sboms set package_count = (select count(*) from sbom_packages where sbom_uid = indexed_sboms.uid)
    where uid = '${sbom}'`);
  await run(`insert into indexed_sboms (uid, packages_version) select uid, 2 from sboms
    where parent = '${uid}' and uid <> '${sbom}'`);
  await run(`insert into examined_images (uid, digest, report_uid, sbom_uid, scan_time, findings_version, create_time, update_time)
    select uid, digest, uid, (select own.uid from sboms as own where own.parent = '${uid}' and own.digest = vuln_reports.digest),
      scan_time, 2, 1, 1 from vuln_reports where parent = '${uid}' and scanner_version = ''`);
}

/** The rows of a deleted repository in every table, except for its history and its pulls, which the schedule deletes. */
export async function rowsLeft({ run }: Registry, uid: string, storage: number) {
  const tables = await run<{ name: string; columns: string }>(
    `select name, (select json_group_array(name) from pragma_table_info(sqlite_schema.name)) as columns
     from sqlite_schema where type = 'table' and name not like 'sqlite_%' and name not like '_cf_%'`,
  );
  const left: Record<string, number> = {};
  for (const { name, columns } of tables) {
    if (/^tag_|^public_digests|^pull_hours|^event|^deliver/.test(name)) continue;
    const column = /"(uid|repo_uid|image_uid|ancestor|repo_id)"/.exec(columns)?.[1];
    if (!column) continue;
    const is =
      column === "repo_id"
        ? "repo_id = ?2 and ?1 <> ''"
        : `${column} >= ?1 and ${column} < ?1 || '0' and ?2`;
    const [row] = await run<{ n: number }>(
      `select count(*) as n from "${name}" where ${is}`,
      ...[uid, storage],
    );
    if (row && row.n > 0) left[name] = row.n;
  }
  return left;
}
