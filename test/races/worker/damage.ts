/** Contradictions between rows that no run may leave, in any order of its calls. */
import type { DurableObjectStorage } from "@cloudflare/workers-types";

/** Rows whose parent must exist, by table: all of them, or those of a condition. */
const parents: [string, string, string, string?][] = [
  ["groups", "parent", "groups"],
  ["identities", "parent", "groups"],
  ["roles", "parent", "groups"],
  ["role_bindings", "parent", "groups"],
  // A pending binding can name a person who has never logged in.
  ["role_bindings", "identity_uid", "identities", "accepted = 1"],
  ["role_bindings", "role_uid", "roles"],
  ["repos", "parent", "groups"],
  ["tags", "parent", "repos"],
  ["manifests", "parent", "repos"],
  ["expiry_plans", "parent", "repos"],
  ["expiry_items", "plan_uid", "expiry_plans"],
  ["sboms", "parent", "repos"],
  ["vuln_reports", "parent", "repos"],
  ["vuln_report_contents", "uid", "vuln_reports"],
  ["advisories", "parent", "groups"],
  ["advisory_events", "advisory_uid", "advisories"],
  ["advisory_aliases", "advisory_uid", "advisories"],
  ["osv_records", "uid", "advisories"],
  ["vex_subjects", "uid", "advisories"],
  ["artifacts", "parent", "groups"],
  ["artifact_versions", "parent", "artifacts"],
  ["vulnerability_metadata", "parent", "groups"],
  ["advisory_documents", "parent", "groups"],
  ["identity_metadata", "uid", "identities"],
  ["keys", "parent", "identities"],
  ["identity_providers", "parent", "groups"],
  ["identity_providers", "default_role", "roles"],
  ["external_group_role_mappings", "parent", "identity_providers"],
  ["external_group_role_mappings", "role_uid", "roles"],
  ["scim_users", "parent", "identity_providers"],
  ["sign_ins", "identity_provider_uid", "identity_providers"],
  ["group_invites", "parent", "groups"],
  ["subscriptions", "parent", "groups"],
  ["account_associations", "uid", "groups"],
  ["terms_acceptances", "parent", "groups"],
  ["group_access_requests", "group_uid", "groups"],
];

/** A query whose rows are damage. It runs if one of the tables changed. */
interface Check {
  tables: string[];
  query: string;
}

const orphans = parents.map(([table, column, parent, which = "1"]): Check => {
  const text = `'${table}.${column} names no row of ${parent}: ' || ${column}`;
  return {
    tables: [table, parent],
    query: `select ${text} as text from ${table} as one
      where ${which} and ${column} <> '' and not exists (select 1 from ${parent} where uid = one.${column})`,
  };
});

/** Tables whose rows are counted, and the column that divides the counts. */
const counted: Record<string, string> = {
  ...{ tags: "class", artifacts: "ecosystem" },
  ...{ groups: "0", identities: "0", roles: "0", role_bindings: "0", repos: "0", manifests: "0" },
  ...{ advisories: "0", identity_providers: "0", external_group_role_mappings: "0" },
  ...{ scim_users: "0", group_invites: "0", subscriptions: "0" },
  ...{ vulnerability_metadata: "0", advisory_documents: "0", account_associations: "0" },
  ...{ vuln_reports: "0", sboms: "0", expiry_plans: "0", keys: "0" },
};

const miscounts = Object.entries(counted).map(
  ([kind, part]): Check => ({
    tables: [kind, "counts"],
    query: `select 'miscounted: ${kind} ' || class || ' of ' || ancestor as text from (
      select ${part} as class, parent as ancestor, count(*) as number from ${kind} group by 1, 2
      union all select class, ancestor, -children from counts where kind = '${kind}'
    ) group by class, ancestor having sum(number) <> 0`,
  }),
);

const contradictions: Check[] = [
  {
    tables: ["tags", "tag_moves"],
    query: `select 'a tag is not where it last moved: ' || name as text from tags
      where digest is not (select digest from tag_moves
        where repo_uid = tags.parent and tag = tags.name order by update_time desc limit 1)`,
  },
  {
    tables: ["tag_moves"],
    query: `select 'a tag moved to where it was: ' || tag as text from (select tag, digest,
      lag(digest) over (partition by repo_uid, tag order by update_time) as before from tag_moves)
      where digest = before`,
  },
  {
    tables: ["expiry_plans", "expiry_items"],
    query: `select 'a plan counts other items than it has: ' || uid as text from expiry_plans
      where state <> 1 and json_array(deleted_count, left_count, restored_count) <> (
        select json_array(coalesce(sum(outcome in (2, 4, 5)), 0), coalesce(sum(outcome = 3), 0),
          coalesce(sum(outcome = 4), 0)) from expiry_items where plan_uid = expiry_plans.uid)`,
  },
  {
    tables: ["groups"],
    query: `select 'a group is of another kind than its organization: ' || one.name as text
      from groups as one join groups as root on root.uid = substr(one.uid, 1, 40)
      where one.kind <> root.kind`,
  },
  {
    tables: ["advisory_documents", "advisories"],
    query: `select 'a document of no advisory: ' || origin as text from advisory_documents as one
      where not exists (select 1 from advisories where parent = one.parent and origin = one.origin)`,
  },
  {
    tables: ["advisory_documents", "advisories"],
    query: `select 'an advisory without a document: ' || advisory_id as text from advisories as one
      where not exists
        (select 1 from advisory_documents where parent = one.parent and origin = one.origin)`,
  },
  {
    tables: ["advisory_aliases", "advisories"],
    query: `select 'an alias that the advisory has not: ' || alias as text
      from advisory_aliases as one where alias not in
        (select value from json_each((select aliases from advisories where uid = one.advisory_uid)))`,
  },
  {
    tables: ["advisories", "osv_records", "vex_subjects"],
    query: `select 'an imported advisory without a source: ' || advisory_id as text from advisories
      where source_digest <> '' and uid not in (select uid from osv_records)
        and uid not in (select uid from vex_subjects)`,
  },
];

const checks = [...orphans, ...miscounts, ...contradictions];

/** The digest of a record, as src/vulnerabilities/osv/reading.ts calculates it. */
const scheme = 4;

async function digestOf(record: string): Promise<string> {
  const bytes = new TextEncoder().encode(`${scheme}\n${record}`);
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
  return [...digest].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}

async function strayRecords({ sql }: DurableObjectStorage): Promise<string[]> {
  const cursor = sql.exec<{ advisory_id: string; source_digest: string; record: string }>(
    `select advisory_id, source_digest, record from osv_records
     join advisories on advisories.uid = osv_records.uid`,
  );
  const stray: string[] = [];
  for (const row of cursor.toArray()) {
    if ((await digestOf(row.record)) === row.source_digest) continue;
    stray.push(`a record is not the one of its advisory: ${row.advisory_id}`);
  }
  return stray;
}

/** The contradictions in these tables after a change, in words. */
export async function damageIn(
  storage: DurableObjectStorage,
  changed: string[],
): Promise<string[]> {
  const due = checks.filter(({ tables }) => tables.some((table) => changed.includes(table)));
  const found = due.flatMap(({ query }) => storage.sql.exec<{ text: string }>(query).toArray());
  const isImport = changed.includes("osv_records") || changed.includes("advisories");
  const stray = isImport ? await strayRecords(storage) : [];
  return [...found.map(({ text }) => text), ...stray];
}
