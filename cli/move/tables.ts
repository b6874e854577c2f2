/**
 * The tables that a move copies, in the order in which their rows can be written: a row comes after those that it
 * refers to. A test compares this list with the tables of a database.
 */

/** A table whose rows have the path of their organization in a column of their key. */
export interface PathTable {
  name: string;
  /** The column with the path. */
  path: string;
  /** The columns of the key, in its order. */
  key: string[];
  /** The rows of one page. The default is 500. Rows with documents are long. */
  pageSize?: number;
  /** Columns that are empty in the copy until the end, because a schedule would act on them. */
  armed?: string[];
  /**
   * A column that no other row of its siblings may have the value of. It is set to the uid if two rows exchange their
   * values. Rows of tables without one are deleted and written again, because nothing depends on them.
   */
  parked?: string;
}

const byUid = (name: string, more: Partial<PathTable> = {}): PathTable => ({
  name,
  path: "uid",
  key: ["uid"],
  ...more,
});

const ofRepo = (name: string): PathTable => ({ name, path: "repo_uid", key: ["repo_uid"] });

const documents = { pageSize: 5 };

/** The tables before those of the registry's content. */
export const pathTables: PathTable[] = [
  { name: "quotas", path: "organization", key: ["organization", "kind"] },
  byUid("groups", { parked: "name" }),
  byUid("roles", { parked: "name" }),
  byUid("identities", { armed: ["key_notice_time"] }),
  byUid("keys", { armed: ["notice_time"] }),
  byUid("identity_metadata"),
  byUid("identity_providers", { armed: ["scim_token_notice_time"] }),
  byUid("external_group_role_mappings"),
  byUid("scim_users"),
  byUid("scim_groups"),
  { name: "scim_group_members", path: "group_uid", key: ["group_uid", "user_uid"] },
  byUid("sessions"),
  byUid("account_associations"),
  byUid("group_invites"),
  byUid("terms_acceptances"),
  { name: "group_access_requests", path: "group_uid", key: ["group_uid", "identity_uid"] },
  {
    name: "sign_ins",
    path: "identity_provider_uid",
    key: ["identity_provider_uid", "identity_uid"],
  },
  {
    name: "idempotency_keys",
    path: "organization_uid",
    key: ["organization_uid", "caller_uid", "key_digest"],
    pageSize: 20,
  },
  byUid("subscriptions"),
  {
    name: "grouped_events",
    path: "subscription_uid",
    key: ["subscription_uid", "type", "vulnerability", "event_uid"],
  },
  byUid("advisories", { parked: "advisory_id" }),
  byUid("advisory_events"),
  byUid("osv_records", documents),
  byUid("vex_subjects"),
  { name: "affected_packages", path: "advisory_uid", key: ["advisory_uid", "number"] },
  byUid("advisory_documents"),
  byUid("vulnerability_metadata", { pageSize: 50 }),
  byUid("artifacts"),
  byUid("artifact_versions", { pageSize: 50 }),
  byUid("repos", { parked: "name", pageSize: 50 }),
  byUid("role_bindings"),
  ofRepo("tag_bursts"),
  byUid("manifests", { pageSize: 50 }),
  byUid("image_signatures", { key: ["uid", "digest", "issuer", "subject"] }),
  byUid("pushed_signatures"),
  byUid("verified_signatures", {
    key: ["uid", "layer", "policy_uid", "key_id", "issuer", "subject"],
  }),
  byUid("sboms", documents),
  byUid("indexed_sboms"),
  byUid("sbom_packages"),
  byUid("vuln_reports", documents),
  byUid("vuln_report_contents", documents),
  byUid("examined_images"),
  byUid("findings"),
  byUid("tag_rules"),
  byUid("signed_verdicts", { key: ["uid", "policy_uid"] }),
  byUid("trust_policies"),
  byUid("trust_changes"),
  byUid("expiry_plans"),
  { name: "expiry_items", path: "plan_uid", key: ["plan_uid", "number"], pageSize: 50 },
  { name: "tag_overrides", path: "repo_uid", key: ["repo_uid", "tag", "update_time"] },
  byUid("image_holds"),
  ofRepo("upstream_states"),
  { ...ofRepo("mirrored_tags"), key: ["repo_uid", "tag"] },
  { ...ofRepo("mirror_fetches"), key: ["repo_uid", "reference"] },
  ofRepo("repo_syncs"),
  { name: "announced_vulnerabilities", path: "image_uid", key: ["image_uid", "vulnerability"] },
  { name: "match_marks", path: "root", key: ["root", "kind", "uid"] },
];

/** Tables that triggers fill from the rows above, so that a move neither copies nor deletes their rows. */
export const derivedTables = [
  ...["counts", "advisory_aliases", "advisory_products", "index_entries", "finding_ids"],
  ...["organization_blobs", "public_digests"],
];

/** Tables that other files of this folder move, because their rows have numbers of one database. */
export const numberedTables = [
  ...["organization_storage", "repo_storage", "blobs", "blob_links", "manifest_references"],
  ...["objects", "referrers", "incomplete_indexes", "uploads", "pushed_documents", "tag_pulls"],
  "pull_hours",
  ...["events", "deliveries", "refresh_tokens"],
  ...["tags", "tag_repos", "tag_names", "tag_origins", "tag_records"],
];

/** Tables that stay: they belong to no organization, or to the database itself. */
export const stayingTables = [
  ...["heartbeats", "delivery_cursor", "write_guards", "object_sweep"],
  ...["headless_sessions", "device_codes", "device_networks"],
  ...["organization_databases", "organization_moves", "organization_changes"],
  // A move waits until the organization has none.
  "deletions",
];
