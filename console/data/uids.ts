/** Uids. A uid is the path of a resource: 40 hexadecimal digits, and 16 more for each level below. */

const pattern = /^[0-9a-f]{40}(\/[0-9a-f]{16})*$/;

export const isUid = (text: string): boolean => pattern.test(text);

/** The uid above this one, or an empty text for an organization, a person or a built-in role. */
export const parentOf = (uid: string): string => uid.slice(0, Math.max(0, uid.lastIndexOf("/")));

/** The first part of a uid. Below a group, it is the organization. */
export const rootOf = (uid: string): string => uid.split("/", 1)[0] ?? "";

/** The uids from the root to this uid, which comes last. */
export function pathOf(uid: string): string[] {
  const parts = uid === "" ? [] : uid.split("/");
  return parts.map((_, index) => parts.slice(0, index + 1).join("/"));
}

/** Reports whether a uid is the other one, or above it. */
export const isAtOrAbove = (above: string, uid: string): boolean =>
  uid === above || uid.startsWith(`${above}/`);

/** The last part of a uid, which the group above does not have. */
export const lastStep = (uid: string): string => uid.slice(uid.lastIndexOf("/") + 1);

/** The beginning of the last part of a uid, for a resource without a name. */
export const shortUid = (uid: string): string => `${lastStep(uid).slice(0, 8)}…`;

/** Reports whether a uid is that of a person. A person belongs to no group, and a workload belongs to one. */
export const isPerson = (uid: string): boolean => uid !== "" && !uid.includes("/");
