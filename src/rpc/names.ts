/**
 * Other names on the wire for those of the protos: with the vendor's name in front of a package, and with v2beta1,
 * the former name of v2 (specification, Versioning 2). They are translated before a request is routed.
 */

/** `acme.platform.iam.v2beta1.GroupsService` is `platform.iam.v2.GroupsService`; other names stay. */
export function plainName(name: string, vendor: string): string {
  const own = name.startsWith(`${vendor}.platform.`) ? name.slice(vendor.length + 1) : name;
  return own.replace(/^(platform\.[a-z]+)\.v2beta1\./, "$1.v2.");
}

/** The path that the protos have: of an RPC, or of REST, where `/iam/v2beta1/…` is `/iam/v2/…`. */
export const plainPath = (path: string, vendor: string): string =>
  `/${plainName(path.slice(1), vendor)}`.replace(/^(\/[a-z]+)\/v2beta1(?=\/)/, "$1/v2");

/** A message of ours as details of errors name it: with the vendor's name in front. Others' names stay. */
export const wireName = (typeName: string, vendor: string): string =>
  typeName.startsWith("platform.") ? `${vendor}.${typeName}` : typeName;
