/** The order of the versions of a package, by the type in its package URL. */
import { apkSortKey } from "./apk_order.ts";
import { debSortKey } from "./deb_order.ts";
import { mavenSortKey } from "./maven_order.ts";
import { pypiSortKey } from "./pypi_order.ts";
import { rpmSortKey } from "./rpm_order.ts";
import { semverSortKey } from "./semver_order.ts";

/** The key of a version in each order. Undefined if the order does not know the version. */
const orders = {
  apk: apkSortKey,
  deb: debSortKey,
  // Maven orders any text.
  maven: (version: string) => (version === "" ? undefined : mavenSortKey(version)),
  pypi: (version: string) => {
    const key = pypiSortKey(version);
    // A text that PEP 440 does not accept.
    return key.startsWith("0") ? undefined : key;
  },
  rpm: rpmSortKey,
  semver: semverSortKey,
} satisfies Record<string, (version: string) => string | undefined>;

export type VersionOrder = keyof typeof orders;

export const versionOrders = Object.keys(orders) as VersionOrder[];

/** The purl types of which the order is known. */
const orderOfType: Record<string, VersionOrder> = {
  apk: "apk",
  deb: "deb",
  maven: "maven",
  pypi: "pypi",
  rpm: "rpm",
  npm: "semver",
  golang: "semver",
  cargo: "semver",
  hex: "semver",
  pub: "semver",
  swift: "semver",
};

/** The order of a purl type. Undefined if it is not known. */
export const versionOrderOf = (purlType: string): VersionOrder | undefined => orderOfType[purlType];

/** A text that sorts like the version among the versions of its order. Undefined if the version has no place. */
export const versionSortKey = (order: VersionOrder, version: string): string | undefined =>
  orders[order](version);
