/** The content of one repository: stored blobs and unfinished uploads, as rows that only SQL can write. */
import { below, hex } from "../world/uids.ts";
import { type CostOrganization, imageRepoUid, rowsPerResource, startTime } from "./rows.ts";

/** The repository with content. Its name is `repo-7`. */
const contentRepoUid = ({ team }: CostOrganization) => below(team, "repo-7");

/** The digest of a stored blob of the repository. No manifest needs it. R2 does not have it, but D1 has some text. */
export const storedDigest = ({ root }: CostOrganization, at: number) =>
  `sha256:${root.slice(0, 32)}${at.toString(16).padStart(32, "0")}`;

/** The id of an unfinished upload of the repository without bytes, by the identity of the caller. */
export const uploadId = ({ root }: CostOrganization, at: number) =>
  `${root.slice(0, 24)}${at.toString(16).padStart(8, "0")}`;

/** Fewer than an organization may have, so that a new one ends no other. */
const openUploads = 50;

/** A statement and its parameters. */
type Written = [sql: string, ...parameters: (string | number)[]];

const numbers = `with recursive numbers(at) as
  (select 0 union all select at + 1 from numbers where at < ${rowsPerResource - 1})`;
const repoId = "(select id from repo_storage where uid = ?)";

/** The statements that store the content. The triggers count its bytes. */
export function contentStatements(of: CostOrganization): Written[] {
  const { root } = of;
  const repo = contentRepoUid(of);
  const digest = `unhex(substr(?, 1, 32) || printf('%032x', at))`;
  const caller = hex("caller owner", 40);
  return [
    ["insert into organization_storage (uid) values (?)", root],
    [
      "insert into repo_storage (uid, organization_id) select ?, id from organization_storage where uid = ?",
      repo,
      root,
    ],
    [
      `${numbers} insert into blobs (digest, size, content) select ${digest}, 1000, 'text' from numbers`,
      root,
    ],
    [
      `${numbers} insert into objects (key, blob_id, size, etag)
       select ? || at, blobs.id, 1000, 'etag' from numbers join blobs on blobs.digest = ${digest}`,
      ...[`object-of-${root}-`, root],
    ],
    [
      `${numbers} insert into blob_links (repo_id, kind, blob_id, idle_time)
       select ${repoId}, 0, blobs.id, ? from numbers join blobs on blobs.digest = ${digest}`,
      ...[repo, startTime, root],
    ],
    [
      `${numbers} insert into uploads (id, repo_id, organization_id, identity_uid, create_time, update_time)
       select substr(?, 1, 24) || printf('%08x', at), ${repoId},
         (select id from organization_storage where uid = ?), ?, ?, ? from numbers where at < ${openUploads}`,
      ...[root, repo, root, caller, startTime, startTime],
    ],
    [
      "insert into repo_storage (uid, organization_id) select ?, id from organization_storage where uid = ?",
      ...[imageRepoUid(of), root],
    ],
    // Three identities pull each tag.
    [
      `insert into tag_pulls (repo_id, reference, identity, identity_name, time, days)
       select ${repoId}, tags.name, 'identity-' || who.value, '', ?, 1
       from tags cross join json_each('[1,2,3]') as who where tags.parent = ?`,
      ...[imageRepoUid(of), startTime, imageRepoUid(of)],
    ],
  ];
}
