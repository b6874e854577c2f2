/**
 * Whether a VEX statement names the package of a finding. A statement that cannot be applied exactly applies to
 * nothing, and the reason is shown with the finding.
 */
import type { StoredComponent } from "../../schema/tables/vulnerabilities/vex_subjects.ts";
import type * as purls from "../packages/purls.ts";
import type { PurlPackage } from "../packages/purls.ts";
import { contains, readVersionRange } from "../packages/version_ranges.ts";

/** `true` if it names the package, `false` if it names something else, and else why that cannot be decided. */
export type Scope = boolean | { unclear: string };

/** The package of a finding, and the image that has it. */
export interface VexTarget {
  repoName: string;
  /** The digest of the image, and then those of the image indexes that contain it. */
  digests: string[];
  tags: string[];
  /** Undefined without a package URL. */
  package: PurlPackage | undefined;
  packageName: string;
  packageVersion: string;
}

/** Loaded when findings are read, because the library takes a while to start. */
export type Purls = Pick<typeof purls, "readPurl" | "toPurl">;

/** The package URL of a component in a document. */
export const purlOf = ({ identifiers, "@id": id = "" }: StoredComponent, { readPurl }: Purls) =>
  readPurl(identifiers?.purl ?? id);

/** The range of versions that a component is about, which can be a part of its package URL. */
export const rangeOf = (component: StoredComponent, packages: Purls): string | undefined =>
  component.range ?? purlOf(component, packages)?.qualifiers.vers;

/** The first scope that is not `true`. All of them are if there is none. */
export const allOf = (...scopes: Scope[]): Scope => scopes.find((scope) => scope !== true) ?? true;

/**
 * Whether a component of a document is the package. `name` is that of the component. A package URL covers a
 * package if its type, namespace, name, subpath and each of its qualifiers are those of the package.
 */
export function packageScope(
  component: StoredComponent,
  name: string,
  target: VexTarget,
  packages: Purls,
): Scope {
  const statedPackage = purlOf(component, packages);
  const own = target.package;
  if (!statedPackage || !own) {
    if (name !== (own?.name ?? target.packageName)) return false;
    const whose = statedPackage ? "the finding" : "the statement";
    return { unclear: `${whose} has no package URL for ${target.packageName}` };
  }
  if (statedPackage.name !== own.name) return false;
  if (statedPackage.purlType !== own.purlType) {
    return (
      statedPackage.purlType === "generic" && {
        unclear: "the statement does not name the ecosystem",
      }
    );
  }
  if (statedPackage.namespace !== own.namespace && statedPackage.namespace !== "") return false;
  if (statedPackage.subpath !== own.subpath && statedPackage.subpath !== "") return false;
  return allOf(
    qualifierScope(statedPackage, own),
    versionScope(component, statedPackage, own, target),
  );
}

function qualifierScope(statedPackage: PurlPackage, own: PurlPackage): Scope {
  const { vers: _, ...asked } = statedPackage.qualifiers;
  for (const [key, value] of Object.entries(asked)) {
    const known = own.qualifiers[key];
    if (known === undefined) {
      return { unclear: `it is about ${key}=${value}, and the report does not say the ${key}` };
    }
    if (known !== value) return false;
  }
  return true;
}

function versionScope(
  { range, version = "" }: StoredComponent,
  statedPackage: PurlPackage,
  own: PurlPackage,
  { packageVersion }: VexTarget,
): Scope {
  const exact = statedPackage.version || version;
  const ownVersion = own.version || packageVersion;
  if (exact !== "") return exact === ownVersion;
  const ranged = range ?? statedPackage.qualifiers.vers;
  if (ranged === undefined) return true;
  const read = readVersionRange(ranged, own.purlType);
  if (!read) return { unclear: `its version range "${ranged}" cannot be read` };
  const { epoch } = own.qualifiers;
  const isIn = contains(read, epoch ? `${epoch}:${ownVersion}` : ownVersion);
  return isIn ?? { unclear: `the version ${ownVersion} cannot be compared with "${ranged}"` };
}

/** Whether a package URL of an image, or its absence, covers the image. `path` is that of the repository. */
export function imageScope(
  statedPackage: PurlPackage | undefined,
  { range, version: worded = "" }: StoredComponent,
  target: VexTarget,
  path: string,
): Scope {
  const version = statedPackage?.version || worded;
  const [own, ...indexes] = target.digests;
  if (version !== "" && ![own, ...indexes, ...target.tags].includes(version)) return false;
  // The digest is the content, so nothing narrows it further.
  if (version !== "" && version === own) return true;
  if (range !== undefined) return { unclear: `it is about a range of versions of the image` };
  const isDigest = indexes.includes(version);
  // The digest of an image index is also the content, but of several platforms.
  const isHere: Record<string, (value: string) => boolean> = {
    tag: (value) => isDigest || target.tags.includes(value),
    repository_url: (value) => isDigest || toPath(value) === path,
  };
  for (const [key, value] of Object.entries(statedPackage?.qualifiers ?? {})) {
    const test = isHere[key];
    if (!test) return { unclear: `it is about ${key}=${value} of the image` };
    if (!test(value)) return false;
  }
  return true;
}

/** The address of a repository without a scheme, a tag or a digest. */
const toPath = (address: string) =>
  address
    .replace(/^[a-z]+:\/\//, "")
    .replace(/\/+$/, "")
    .replace(/(?:@.*|:[^/:]*)$/, "");
