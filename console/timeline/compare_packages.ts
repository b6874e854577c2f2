/** Compares the packages of two images. */

/** A package of an image, as far as a comparison needs it. */
export interface ComparedPackage {
  name: string;
  namespace: string;
  version: string;
  /** The type in the package URL. Empty without one. */
  type: string;
}

/** A package whose versions differ. An empty list means that the image does not have the package. */
export interface PackageChange {
  /** The name with its namespace. */
  name: string;
  type: string;
  before: string[];
  after: string[];
}

/** The differences between two images. Each list is in the order of the names. */
export interface PackageDifference {
  came: PackageChange[];
  went: PackageChange[];
  changed: PackageChange[];
  /** The packages with the same versions in both. */
  same: number;
}

/** The name with its namespace, as people write it. */
export const fullName = ({ namespace, name }: Pick<ComparedPackage, "namespace" | "name">) =>
  namespace === "" ? name : `${namespace}/${name}`;

/**
 * Compares the packages by type and name. An image can have a package in several versions: those that both images have
 * are left out of a change.
 */
export function comparePackages(
  before: readonly ComparedPackage[],
  after: readonly ComparedPackage[],
): PackageDifference {
  const [old, current] = [versionsOf(before), versionsOf(after)];
  const difference: PackageDifference = { came: [], went: [], changed: [], same: 0 };
  const keys = [...new Set([...old.keys(), ...current.keys()])].sort();
  for (const key of keys) {
    const [oldVersions, newVersions] = [old.get(key), current.get(key)];
    const gone = [...(oldVersions ?? [])].filter((version) => !newVersions?.has(version)).sort();
    const added = [...(newVersions ?? [])].filter((version) => !oldVersions?.has(version)).sort();
    const [name = "", type = ""] = key.split("\n");
    const change = { name, type, before: gone, after: added };
    if (!oldVersions) difference.came.push(change);
    else if (!newVersions) difference.went.push(change);
    else if (gone.length > 0 || added.length > 0) difference.changed.push(change);
    else difference.same += 1;
  }
  return difference;
}

/** The versions of each package. The key begins with the name, so that it sorts by name. */
function versionsOf(packages: readonly ComparedPackage[]): Map<string, Set<string>> {
  const versionsByPackage = new Map<string, Set<string>>();
  for (const item of packages) {
    const key = `${fullName(item)}\n${item.type}`;
    const versions = versionsByPackage.get(key);
    if (versions) versions.add(item.version);
    else versionsByPackage.set(key, new Set([item.version]));
  }
  return versionsByPackage;
}
