/** Where an event belongs: the group whose subscriptions get it, and the partition that keeps its order. */
import { parentOf } from "../aip/uid_path.ts";
import type { EventDraft } from "../auth/call.ts";

type TypedDraft = EventDraft & { type: string };

/**
 * The group where the change happened. In the contract, the organization is the group of all tags and role
 * mappings. Here it is the group of their repository or of their identity provider.
 */
export function locationOf({ group, image, extensions }: TypedDraft): string {
  const within = image?.repo ?? extensions?.identityprovider;
  return within ? parentOf(within) : group;
}

/** The types whose events can be about many resources at once, and the parent of those resources. */
const families: [string, (draft: TypedDraft) => string][] = [
  ["api.platform.registry.tag.", ({ image }) => image?.repo ?? ""],
  ["api.vulnerabilities.advisory.", ({ group }) => group],
  ["api.iam.rolebindings.", ({ group }) => group],
  ["api.iam.external_group_role_mappings.", ({ extensions }) => extensions?.identityprovider ?? ""],
];

/**
 * The partition of an event. Events with equal pools and partitions are sent in their order. An event with an empty partition
 * is about several resources of its pool: it is sent after all earlier events of the pool, and before all
 * later ones.
 */
export function partitionOf(draft: TypedDraft): { pool: string; partition: string } {
  const { type, subject, extensions } = draft;
  // The vulnerabilities of an image do not wait for each other. An event about several of them waits for all.
  if (type.startsWith("api.platform.registry.image.") && extensions?.severity !== undefined) {
    const { vulnerability } = extensions;
    return {
      pool: subject,
      partition: vulnerability === undefined ? "" : `${subject} ${vulnerability}`,
    };
  }
  const family = families.find(([beginning]) => type.startsWith(beginning));
  if (!family) return { pool: subject, partition: subject };
  const [prefix, parent] = family;
  return { pool: prefix + parent(draft), partition: type.endsWith(".batch.v1") ? "" : subject };
}
