/** The damage that races leave in a database of fsck_world.ts, each kind as SQL. */
import { childUid, hash, organizationUid, recordOf } from "./world.ts";

export const repo = childUid(organizationUid, 1);
export const tag = childUid(repo, 1);
const advisory = childUid(organizationUid, 1);
/** The uid of nothing. */
export const missingUid = childUid("e".repeat(40), 1);

/** A change of the database, and what each check finds. */
export const damages: [string, string, Record<string, number>][] = [
  [
    "a total is too high",
    `UPDATE counts SET descendants = descendants + 1 WHERE ancestor = '${organizationUid}' AND kind = 'tags' AND class = 2`,
    { counts: 1 },
  ],
  [
    "a total of children is wrong at the root",
    "UPDATE counts SET children = 7 WHERE ancestor = '' AND kind = 'groups'",
    { counts: 1 },
  ],
  [
    "a total is missing",
    `DELETE FROM counts WHERE ancestor = '${organizationUid}' AND kind IN ('repos', 'sboms')`,
    { counts: 2 },
  ],
  [
    "the bytes of documents are wrong",
    `UPDATE counts SET descendants = 7 WHERE ancestor = '${organizationUid}' AND kind = 'document_bytes'`,
    { counts: 1 },
  ],
  [
    "the number of open uploads is too high",
    `INSERT INTO counts (ancestor, kind, class, children, descendants) VALUES ('${organizationUid}', 'open_uploads', 0, 0, 9)
      ON CONFLICT (ancestor, kind, class) DO UPDATE SET descendants = 9`,
    { counts: 1 },
  ],
  [
    "a total is of nothing",
    `INSERT INTO counts (ancestor, kind, class, children, descendants) VALUES ('${missingUid}', 'repos', 0, 1, 1)`,
    { counts: 1 },
  ],
  [
    "a total is of no table",
    `INSERT INTO counts (ancestor, kind, class, children, descendants) VALUES ('${organizationUid}', 'pets', 0, 1, 1)`,
    { counts: 1 },
  ],
  [
    "a repo is gone and its children are not",
    `DELETE FROM repos WHERE uid = '${repo}'`,
    { parents: 52, references: 4 },
  ],
  [
    "an identity is gone, and its binding and keys are not",
    `DELETE FROM identities WHERE uid = '${childUid(organizationUid, 1)}'; DELETE FROM identity_metadata WHERE uid = '${childUid(organizationUid, 1)}'`,
    { parents: 5, references: 1 },
  ],
  [
    "a binding names a role that is gone",
    `UPDATE role_bindings SET role_uid = '${missingUid}' WHERE uid = '${childUid(organizationUid, 1)}'`,
    { references: 1 },
  ],
  [
    "a mapping names a role that is gone",
    `UPDATE external_group_role_mappings SET role_uid = '${missingUid}' WHERE uid LIKE '${childUid(organizationUid, 1)}/%'`,
    { references: 4 },
  ],
  [
    "a default role is gone",
    `UPDATE identity_providers SET default_role = '${missingUid}' WHERE uid = '${childUid(organizationUid, 2)}'`,
    { references: 1 },
  ],
  [
    "metadata is of no identity",
    `INSERT INTO identity_metadata VALUES ('${missingUid}', '{}', 1)`,
    { references: 1 },
  ],
  [
    "a user is of an identity that is gone",
    `UPDATE scim_users SET identity_uid = '${missingUid}' WHERE uid = '${childUid(childUid(organizationUid, 1), 1)}'`,
    { references: 1 },
  ],
  [
    "a member is of a group and of a user that are gone",
    `INSERT INTO scim_group_members SELECT '${missingUid}', uid FROM scim_users LIMIT 1;
     INSERT INTO scim_group_members SELECT uid, '${missingUid}' FROM scim_groups LIMIT 1`,
    { references: 2 },
  ],
  [
    "a request is about a group that is gone",
    `INSERT INTO group_access_requests VALUES ('${missingUid}', 'x', 1)`,
    { references: 1 },
  ],
  [
    "two tags are of an expiry plan that is gone",
    `UPDATE expiry_items SET plan_uid = '${missingUid}' WHERE plan_uid IN (SELECT uid FROM expiry_plans LIMIT 2)`,
    { references: 2 },
  ],
  [
    "an event is of an advisory that is gone",
    `UPDATE advisory_events SET advisory_uid = '${missingUid}' WHERE advisory_uid = '${advisory}'`,
    { references: 1 },
  ],
  [
    "a statement's product and a record are of advisories that are gone",
    `UPDATE vex_subjects SET uid = '${missingUid}'; INSERT INTO osv_records VALUES ('${missingUid}', '{}'); UPDATE advisories SET source_digest = '' WHERE source_digest = 'of a statement'`,
    { references: 2 },
  ],
  [
    "a report's content is of no report",
    `INSERT INTO vuln_report_contents VALUES ('${missingUid}', '')`,
    { references: 1 },
  ],
  [
    "an alias is of an advisory that does not have it",
    `INSERT INTO advisory_aliases VALUES ('CVE-0', '${advisory}'), ('CVE-0', '${missingUid}')`,
    { aliases: 2 },
  ],
  [
    "an alias does not lead to its advisory",
    `DELETE FROM advisory_aliases WHERE advisory_uid = '${advisory}' AND alias LIKE 'CVE%'`,
    { aliases: 1 },
  ],
  [
    "records of a tag repeat the one before",
    `INSERT INTO tag_moves (repo_uid, tag, update_time, digest) SELECT repo_uid, tag, update_time + 1, digest FROM tag_moves WHERE repo_uid = '${repo}' AND update_time = 1; INSERT INTO tag_moves (repo_uid, tag, update_time, digest) SELECT repo_uid, tag, update_time + 2, digest FROM tag_moves WHERE repo_uid = '${repo}' AND update_time = 1`,
    { history: 8 },
  ],
  [
    "a tag is where its history does not end",
    `UPDATE tags SET digest = 'sha256:${hash("else")}' WHERE uid = '${tag}'`,
    { tags: 1 },
  ],
  [
    "the history continues after the digest of a tag",
    `INSERT INTO tag_moves (repo_uid, tag, update_time, digest) VALUES ('${repo}', 'latest', 9e9, 'sha256:${hash("later")}')`,
    { tags: 1 },
  ],
  ["tags have no history", `DELETE FROM tag_moves WHERE repo_uid = '${repo}'`, { tags: 4 }],
  [
    "a record differs from the one that the advisory shows",
    `UPDATE osv_records SET record = '${recordOf(5)}' WHERE uid IN ('${advisory}', (SELECT max(uid) FROM osv_records))`,
    { records: 2 },
  ],
  [
    "an advisory has lost its record",
    `DELETE FROM osv_records WHERE uid = '${advisory}'`,
    { sources: 1 },
  ],
];

/** The same for what the platform reads from the names of tags. */
export const lineDamages: typeof damages = [
  [
    "tags are in lines of other names",
    "UPDATE tags SET line = '3r|', line_key = 'a1a2a31' WHERE name = 'latest'; UPDATE tags SET line_key = 'a9' WHERE name = '1.2-r3'",
    { lines: 40 },
  ],
  [
    "a tag in use has a time of its deprecation",
    `UPDATE tags SET deprecated_time = 7 WHERE uid = '${tag}'`,
    { lines: 1 },
  ],
];

/** The same for the contents of the registry. */
export const contentDamages: typeof damages = [
  [
    "the bytes of repositories are wrong",
    "UPDATE repo_storage SET bytes = bytes + 1 WHERE id < 3; UPDATE repo_storage SET shared_bytes = 0 WHERE id = 4",
    { storage: 3 },
  ],
  [
    "a signature is in a manifest that is gone",
    `UPDATE image_signatures SET uid = '${childUid(repo, 9)}' WHERE uid = '${childUid(repo, 2)}'`,
    { references: 1 },
  ],
  [
    "a verified signature is in a manifest that is gone",
    `UPDATE verified_signatures SET uid = '${childUid(repo, 9)}' WHERE uid = '${childUid(repo, 2)}'`,
    { references: 1 },
  ],
  [
    "the bytes of an organization are wrong",
    "UPDATE organization_storage SET shared_bytes = 7",
    { storage: 1 },
  ],
  [
    "the blob of an organization is not counted",
    "DELETE FROM organization_blobs WHERE blob_id = 2",
    { storage: 3 },
  ],
  [
    "a blob is counted that no repository has",
    "INSERT INTO organization_blobs VALUES (1, 99, 0, 0)",
    { storage: 1 },
  ],
  [
    "a blob that is needed is due for deletion, and another one never is",
    `UPDATE blobs SET idle_time = 1 WHERE id = 2; INSERT INTO blobs (digest, size, content) VALUES (x'00', 1, '')`,
    { storage: 2 },
  ],
  [
    "a repository has content that is gone",
    "DELETE FROM blobs WHERE id = 2",
    { contents: 1, storage: 2 },
  ],
  [
    "a repository links a manifest that it does not have",
    `INSERT INTO blob_links (repo_id, kind, blob_id) SELECT 1, 1, id FROM blobs WHERE size = 1000`,
    { contents: 1 },
  ],
  [
    "a referrer and an upload belong to nothing",
    `INSERT INTO referrers VALUES (1, 77, x'00', '', '', NULL); UPDATE uploads SET organization_id = 7 WHERE id = '31';
      UPDATE objects SET organization_id = 7 WHERE upload_id = '31';
      INSERT INTO uploads (id, repo_id, organization_id, identity_uid, create_time, update_time) VALUES ('u', 77, 1, 'x', 1, 1)`,
    { contents: 3, counts: 1 },
  ],
  [
    "a document and an incomplete index belong to nothing",
    "INSERT INTO pushed_documents VALUES (1, 77, x'00', NULL); INSERT INTO incomplete_indexes VALUES (1, 77, x'00')",
    { contents: 2 },
  ],
  [
    "the bytes of the documents of an organization are wrong",
    "UPDATE organization_storage SET document_bytes = 7",
    { storage: 1 },
  ],
  [
    "the reserved bytes of an organization are wrong",
    "UPDATE organization_storage SET reserved_bytes = 7",
    { storage: 1 },
  ],
  [
    "the bytes of an object are counted as content and as reserved",
    "UPDATE objects SET organization_id = 1 WHERE key = 'x1'",
    { storage: 1 },
  ],
  [
    "objects belong to a blob and an upload that are gone, and to nothing",
    `INSERT INTO objects (key, blob_id, upload_id, size, idle_time)
      VALUES ('s1', 99, NULL, 5, NULL), ('s2', NULL, 'gone', 5, NULL), ('s3', NULL, 'gone', 5, 1), ('s4', NULL, NULL, 5, NULL)`,
    { objects: 4 },
  ],
  [
    "an object of an upload is reserved for another organization",
    "UPDATE objects SET organization_id = 99 WHERE key = 'u31'",
    { objects: 1 },
  ],
  [
    "a blob has lost a piece, and an upload too",
    "UPDATE objects SET blob_id = NULL, idle_time = 1 WHERE key = 'x2'; UPDATE objects SET upload_id = NULL, idle_time = 1 WHERE key = 'u31'",
    { objects: 2 },
  ],
  [
    "the pieces of a blob do not follow each other, and those of an upload do not",
    "UPDATE objects SET first_byte = 601 WHERE key = 'x2'; UPDATE objects SET first_byte = 1 WHERE key = 'u31'",
    { objects: 2 },
  ],
];

/** The same for the tables that find images by vulnerability and by product. */
export const findingDamages: typeof damages = [
  [
    "an image has lost a finding",
    `DELETE FROM findings WHERE uid = '${tag}'; DELETE FROM finding_ids WHERE uid = '${tag}'`,
    { scans: 1 },
  ],
  [
    "an SBOM has lost a package, and another its state",
    `DELETE FROM sbom_packages WHERE uid = '${tag}'; DELETE FROM indexed_sboms WHERE uid = '${childUid(repo, 2)}'`,
    { scans: 2 },
  ],
  [
    "an image has a report that is not its newest",
    `UPDATE vuln_reports SET scan_time = 2, digest = (SELECT digest FROM examined_images WHERE uid = '${tag}')
      WHERE uid = '${childUid(repo, 2)}'`,
    { scans: 2 },
  ],
  [
    "the image of an SBOM is not matched with records",
    `UPDATE examined_images SET sbom_uid = NULL WHERE uid = '${tag}'`,
    { scans: 1 },
  ],
  [
    "the ids of a finding are lost, and another has too many",
    `DELETE FROM finding_ids WHERE uid = '${tag}'; INSERT INTO finding_ids (id, uid) VALUES ('CVE-X', '${tag}')`,
    { lookups: 4 },
  ],
  [
    "an entry of an index is lost",
    `DELETE FROM index_entries WHERE index_uid = '${tag}'`,
    { lookups: 1 },
  ],
  [
    "an advisory is found by another product",
    `UPDATE advisory_products SET product = 'x' WHERE advisory_uid = '${advisory}' AND alias LIKE 'CVE%'`,
    { lookups: 2 },
  ],
];

/** The same for the expiry of keys and tokens. */
export const expiryDamages: typeof damages = [
  [
    "keys are found by another expiry than they have",
    `UPDATE identities SET relationship_type = 2, key_notice_time = NULL, key_expire_time = 5,
      relationship = '{"case":"staticKeys","value":{"expirationTime":"2001-01-01T00:00:00Z"}}'
      WHERE uid = '${childUid(organizationUid, 1)}'`,
    { expiries: 1 },
  ],
  [
    "keys and a token have lost their events before the expiry",
    `UPDATE identities SET relationship_type = 2, key_notice_time = NULL, key_expire_time = 4102444800000,
      relationship = '{"case":"staticKeys","value":{"expirationTime":"2100-01-01T00:00:00Z"}}'
      WHERE uid = '${childUid(organizationUid, 1)}';
    UPDATE identity_providers SET scim_token_notice_time = NULL, scim_token_revoke_time = NULL,
      scim_token_expire_time = 4102444800000 WHERE uid = '${childUid(organizationUid, 2)}'`,
    { expiries: 2 },
  ],
];
