/**
 * Other names for packages on the wire. A package can have the vendor's name in front, and v2beta1 is a
 * former name of v2 (specification, Versioning 2). Both are translated before a request is routed.
 */

/**
 * Converts `acme.platform.iam.v2beta1.GroupsService` to `platform.iam.v2.GroupsService`. Other names stay
 * unchanged.
 */
export function plainName(name: string, vendor: string): string {
  const own = name.startsWith(`${vendor}.platform.`) ? name.slice(vendor.length + 1) : name;
  return own.replace(/^(platform(?:\.[a-z]+){1,2})\.v2beta1\./, "$1.v2.");
}

/**
 * Converts the path of an RPC or of a REST call to the names of the protos: `/iam/v2beta1/…` becomes
 * `/iam/v2/…`.
 */
export const plainPath = (path: string, vendor: string): string =>
  `/${plainName(path.slice(1), vendor)}`.replace(/^(\/[a-z]+)\/v2beta1(?=\/)/, "$1/v2");

/**
 * The name of one of our messages in the details of an error, with the vendor's name in front. Names of other
 * messages stay unchanged.
 */
export const wireName = (typeName: string, vendor: string): string =>
  typeName.startsWith("platform.") ? `${vendor}.${typeName}` : typeName;
