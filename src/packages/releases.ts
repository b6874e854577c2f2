/**
 * The distribution and release of a system's packages as one text, such as `debian-12`. Packages URLs, SBOMs, OSV
 * records and CPE names write it in different ways.
 */

/** The release of a package, or of a record, that does not say which one it is. */
export const unknownRelease = "?";

/** The purl types whose packages belong to a distribution. */
const distributionTypes = ["apk", "deb", "rpm", "alpm"];

/** How much of a version names the release: `12` of 12.5, `3.20` of 3.20.3, everything, or nothing. */
type Precision = "major" | "minor" | "whole" | "rolling";

interface Distribution {
  /** The beginning of its releases. */
  name: string;
  /** The namespace of its packages in the keys that match. */
  namespace: string;
  precision: Precision;
  /** Its other names: the ID of os-release(5), and those that scanners, ecosystems and CPE names have. */
  aliases: string[];
}

const distribution = (
  name: string,
  precision: Precision,
  aliases: string[] = [],
  namespace = name,
): Distribution => ({ name, namespace, precision, aliases });

const distributions = [
  distribution("debian", "major", ["debian_linux", "debian gnu/linux"]),
  distribution("ubuntu", "minor", ["ubuntu_linux"]),
  distribution("alpine", "minor", ["alpine_linux", "alpine linux"]),
  distribution("wolfi", "rolling"),
  distribution("minimos", "rolling"),
  distribution("arch", "rolling", ["archlinux"]),
  distribution("rhel", "major", ["redhat", "red hat", "enterprise_linux"], "redhat"),
  distribution("almalinux", "major", ["alma"]),
  distribution("rocky", "major", ["rocky-linux", "rocky linux", "rocky_linux"], "rocky-linux"),
  distribution("centos", "major"),
  distribution("fedora", "major"),
  distribution("amzn", "major", ["amazon", "amazon_linux", "amazon linux"], "amzn"),
  distribution("ol", "major", ["oracle", "oraclelinux", "oracle linux"], "oraclelinux"),
  distribution("mageia", "major"),
  distribution("photon", "major", ["photon os"]),
  distribution("azurelinux", "major", ["azure linux", "azure-linux", "mariner", "cbl-mariner"]),
  distribution("alpaquita", "major"),
  distribution("openeuler", "whole"),
  distribution(
    "opensuse-tumbleweed",
    "rolling",
    ["opensuse.tumbleweed", "opensuse tumbleweed"],
    "opensuse",
  ),
  distribution(
    "opensuse-leap",
    "minor",
    ["opensuse.leap", "opensuse leap", "leap", "opensuse"],
    "opensuse",
  ),
  distribution("sles", "minor", ["suse", "sled", "suse linux enterprise server"], "suse"),
];

const byName = new Map(
  distributions.flatMap((one) =>
    [one.name, one.namespace, ...one.aliases].map((name) => [name, one] as const),
  ),
);

/** The longest name comes first, so that `opensuse-leap-15.6` is not a version of openSUSE. */
const names = [...byName.keys()].sort((a, b) => b.length - a.length);

const codenames = new Map<string, OperatingSystem>([
  ...["wheezy", "jessie", "stretch", "buster", "bullseye", "bookworm", "trixie", "forky"].map(
    (name, at) => [name, { name: "debian", version: String(at + 7) }] as const,
  ),
  ...Object.entries({
    trusty: "14.04",
    xenial: "16.04",
    bionic: "18.04",
    focal: "20.04",
    jammy: "22.04",
    noble: "24.04",
    oracular: "24.10",
    plucky: "25.04",
    questing: "25.10",
  }).map(([name, version]) => [name, { name: "ubuntu", version }] as const),
]);

/** A distribution by the name and version that an SBOM or a file of the system gives. */
export interface OperatingSystem {
  name: string;
  version: string;
}

/** A package of a distribution as its package URL names it. */
interface NamedPackage {
  purlType: string;
  namespace: string;
  qualifiers: Record<string, string>;
}

/** The release of a package, and the namespace of the key that matches it. */
export interface Release {
  namespace: string;
  release: string;
}

/**
 * The release of a package. The qualifier `distro` of its package URL says it, or else the operating system that the
 * SBOM describes. It is '' for a library and in a distribution without releases, and `?` if it is not known. Apk packages of
 * a distribution that is not listed here count as packages of one without releases.
 */
export function releaseOf(
  { purlType, namespace, qualifiers }: NamedPackage,
  operatingSystem?: OperatingSystem,
): Release {
  if (!distributionTypes.includes(purlType)) return { namespace, release: "" };
  const said = qualifiers.distro ? parseDistro(qualifiers.distro, namespace) : operatingSystem;
  const own = byName.get(namespace.toLowerCase());
  const system = said && distributionOf(said.name);
  const found = own ?? (namespace === "" ? system : undefined);
  const ownNamespace = found?.namespace ?? namespace;
  if (found?.precision === "rolling")
    return { namespace: ownNamespace, release: rollingRelease(found) };
  if (purlType === "apk" && !found && namespace !== "") return { namespace, release: "" };
  // A package of one distribution in another has no release that its records name.
  const isSame = system ? system.namespace === ownNamespace : said?.name === ownNamespace;
  const release = said && isSame ? releaseText(said) : unknownRelease;
  return { namespace: ownNamespace, release };
}

const distributionOf = (name: string) => byName.get(name.toLowerCase());

/** `debian-12`, `opensuse-leap-15.6`, `rocky-linux-9`, a codename such as `bookworm`, or only a version. */
function parseDistro(distro: string, namespace: string): OperatingSystem {
  const text = distro.trim().toLowerCase();
  if (namespace !== "" && /^v?\d/.test(text)) return { name: namespace, version: text };
  const codename = codenames.get(text);
  if (codename) return codename;
  const name = names.find(
    (known) =>
      text === known || (/^[-: ]/.test(text.slice(known.length)) && text.startsWith(known)),
  );
  if (name !== undefined) return { name, version: text.slice(name.length + 1) };
  const [, own = text, version = ""] = /^(.*?)[-: ](v?\d.*)$/.exec(text) ?? [];
  return { name: own, version };
}

/** The release of a named distribution. `?` if the version names none, such as `sid` and `edge`. */
function releaseText({ name, version }: OperatingSystem): string {
  const known = distributionOf(name);
  const text = version
    .trim()
    .toLowerCase()
    .replace(/^v(?=\d)/, "");
  const own = known?.name ?? name.toLowerCase();
  if (known?.precision === "rolling") return rollingRelease(known);
  const numbers = codenames.get(text)?.version ?? text;
  // Alpine names its next release `3.21.0_alpha20240807`.
  if (!/^\d/.test(numbers) || numbers.includes("_alpha")) return unknownRelease;
  return `${own}-${precise(numbers, known?.precision ?? "whole")}`;
}

/** A distribution without releases needs none, unless its packages share the namespace of one that has them. */
const rollingRelease = ({ name, namespace }: Distribution) => (name === namespace ? "" : name);

function precise(version: string, precision: Precision): string {
  const [, major = "", minor] = /^(\d+)(?:\.(\d+))?/.exec(version) ?? [];
  if (precision === "major") return major;
  if (precision === "minor") return minor === undefined ? major : `${major}.${minor}`;
  return version;
}

/**
 * The release that an OSV ecosystem names after a colon: `Debian:12`, `Alpine:v3.20`, `Ubuntu:22.04:LTS`,
 * `Red Hat:enterprise_linux:9::appstream`. `?` for a distribution without one, and '' for libraries. Products with
 * other packages than the distribution, such as `Ubuntu:Pro:18.04:LTS`, are releases of their own.
 */
export function releaseOfEcosystem(ecosystem: string): string {
  const separatorIndex = ecosystem.indexOf(":");
  const name = separatorIndex < 0 ? ecosystem : ecosystem.slice(0, separatorIndex);
  const known = distributionOf(name);
  if (!known) return "";
  if (known.precision === "rolling") return "";
  const suffix = separatorIndex < 0 ? "" : ecosystem.slice(separatorIndex + 1).toLowerCase();
  if (suffix === "") return unknownRelease;
  if (known.namespace === "redhat" && suffix.includes(":"))
    return releaseOfProduct(`redhat:${suffix}`);
  if (known.namespace === "suse") return releaseOfSuse(suffix);
  if (suffix === "tumbleweed") return "opensuse-tumbleweed";
  const version = suffix.replace(/:lts$/, "").replace(/^leap /, "");
  const own = known.namespace === "opensuse" ? "opensuse-leap" : known.name;
  return /^v?\d/.test(version) ? releaseText({ name: own, version }) : `${own}-${version}`;
}

/** `Linux Enterprise Server 15 SP5` and its modules are one release. Others, such as those of LTSS, are not. */
function releaseOfSuse(words: string): string {
  const [, major, servicePack] =
    /^(?:suse )?linux enterprise (?:server|desktop|module for [a-z -]+) (\d+)(?: sp(\d+))?$/.exec(
      words,
    ) ?? [];
  if (major === undefined) return `sles-${words}`;
  return servicePack === undefined ? `sles-${major}` : `sles-${major}.${servicePack}`;
}

/** The release that a CPE name of an operating system names. `?` for other names. */
export function releaseOfCpe(cpe: string): string {
  const [, fields] = /^cpe:(?:\/[ao]|2\.3:[ao]):(.+)$/i.exec(cpe) ?? [];
  return fields === undefined ? unknownRelease : releaseOfProduct(fields.toLowerCase());
}

/** `redhat:enterprise_linux:9::baseos`: the vendor, the product and its version, and more. */
function releaseOfProduct(fields: string): string {
  const [vendor = "", product = "", version = "", update = ""] = fields.split(":");
  const known = distributionOf(product);
  if (!known) return version === "" ? unknownRelease : `${vendor}-${product}-${version}`;
  const [, servicePack] = /^sp(\d+)$/.exec(update) ?? [];
  return releaseText({
    name: product,
    version: servicePack ? `${version}.${servicePack}` : version,
  });
}
