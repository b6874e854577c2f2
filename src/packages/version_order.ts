/** The order of the versions of a package, by the type in its package URL. */
import { apkSortKey } from "./apk_order.ts";
import { composerSortKey } from "./composer_order.ts";
import { debSortKey } from "./deb_order.ts";
import { gemSortKey } from "./gem_order.ts";
import { mavenSortKey } from "./maven_order.ts";
import { nugetSortKey } from "./nuget_order.ts";
import { pypiSortKey } from "./pypi_order.ts";
import { rpmSortKey } from "./rpm_order.ts";
import { pubSortKey, semverSortKey } from "./semver_order.ts";

/** The key of a version in each order. Undefined if the order does not know the version. */
const orders = {
  apk: apkSortKey,
  composer: composerSortKey,
  deb: debSortKey,
  gem: gemSortKey,
  // Maven orders any text.
  maven: (version: string) => (version === "" ? undefined : mavenSortKey(version)),
  nuget: nugetSortKey,
  pub: pubSortKey,
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
  composer: "composer",
  deb: "deb",
  gem: "gem",
  maven: "maven",
  nuget: "nuget",
  pub: "pub",
  pypi: "pypi",
  rpm: "rpm",
  npm: "semver",
  golang: "semver",
  cargo: "semver",
  hex: "semver",
  swift: "semver",
  julia: "semver",
};

/** The order of a purl type. Undefined if it is not known. */
export const versionOrderOf = (purlType: string): VersionOrder | undefined => orderOfType[purlType];

/** The most characters of a version that is compared. Package managers accept far fewer. */
export const maxVersionLength = 255;

/**
 * A text that sorts like the version among the versions of its order. Undefined if the version has no place, or is too
 * long. The text is printable ASCII, so that U+0001 after it comes directly after the version.
 */
export const versionSortKey = (order: VersionOrder, version: string): string | undefined =>
  version.length > maxVersionLength ? undefined : orders[order](version);
