/** A repository as it was read, in memory. A plan is made from it. */
import type { Rule } from "../tag_rules/decide.ts";
import type { RuleRow } from "../tag_rules/stored_rules.ts";

/** A tag of the repository. Times are in milliseconds since 1970 in UTC. */
export interface TagState {
  uid: string;
  name: string;
  /** Empty if it points nowhere. */
  digest: string;
  /** That of its row, so that a deletion notices any change. */
  updateTime: number;
  /** When it last moved. */
  moveTime: number;
  /** The end of the last day with a pull by the tag or by its digest. 0 if none is known. */
  pullTime: number;
  /** For the tags of signatures, such as `sha256-….sig`: the digest in the name. */
  subject?: string;
}

/** A manifest of the repository. */
export interface ManifestState {
  digest: string;
  uid: string;
  createTime: number;
  /** The bytes of the manifest itself. */
  bytes: number;
  /** The manifests that it names, also those that the repository does not have. */
  children: string[];
  /** The numbers of the blobs that it names. */
  blobs: number[];
  /** The digest of its subject, if it is a referrer. */
  subject?: string;
  /** Since when no tag points to it. The time of its creation if none ever did. Only read for rules about it. */
  untaggedTime: number;
  /** The end of the last day with a pull by the digest. 0 if none is known. */
  pullTime: number;
}

export interface RepoState {
  /** The name of the repository. */
  name: string;
  now: number;
  /** All rules about the repository. */
  rules: Rule[];
  /** Whether only rules with `daily` let something expire. The others still count as the nearest ones. */
  onlyDaily: boolean;
  tags: TagState[];
  /** The rows of the rules, for the permit of a deletion. */
  ruleRows: RuleRow[];
  /** By digest. */
  manifests: Map<string, ManifestState>;
  /** The bytes of blobs by their numbers. */
  blobSizes: Map<number, number>;
  /** The digests that must stay, with the reason: image holds, and what rules of the kind serve can choose. */
  protectedDigests: Map<string, string>;
}
