/** Package URLs (purl-spec 1.0), and the names of this domain for the same things. */
import { PackageURL } from "packageurl-js";
import { pypiName } from "./names.ts";

/** The result of reading a package URL. */
export interface PurlPackage {
  /** The URL in its canonical form. */
  purl: string;
  /** Its type, such as `oci` or `pypi`. */
  purlType: string;
  /** The artifact_type of an advisory: `image`, the format of a system's package, or `library`. */
  artifactType: string;
  /** In the form of the package's ecosystem: `group:artifact` for Maven, `@scope/name` for npm. */
  name: string;
  /** The name in the package URL, without its namespace. */
  bareName: string;
  /** The version or the digest. Empty if the URL covers all versions. */
  version: string;
  /** The component_type of an advisory. */
  componentType: string;
  /** The artifact_architecture of an advisory. */
  architecture: string;
  /** The distribution or vendor, such as `debian`. Empty if there is none. */
  namespace: string;
  /** They narrow the package: `arch`, `distro` and so on. `vers` holds a range of versions. */
  qualifiers: Record<string, string>;
  /** The place in the package. Empty for all of it. */
  subpath: string;
}

/** The purl types of complete images and machines. */
const imageTypes = ["oci", "docker"];
/** The purl types of packages that a system's package manager installs. */
const systemPackageTypes = ["apk", "deb", "rpm", "alpm", "bitnami"];

/** The purl types with another name in the component_type of an advisory. */
const componentTypes = new Map(
  Object.entries({
    pypi: "python",
    maven: "java",
    npm: "javascript",
    golang: "go-module",
  }),
);

/** The purl types whose namespace is part of the name, and the separator. */
const separators = new Map(
  Object.entries({
    maven: ":",
    npm: "/",
    golang: "/",
    composer: "/",
    swift: "/",
    github: "/",
  }),
);

/**
 * Parses a package URL. Python names have one spelling, and a `%2F` in a name separates the namespace, as a slash
 * does. Throws an error of the library if the text is not a package URL.
 */
function parsePurl(text: string): PackageURL {
  const parsed = PackageURL.fromString(text);
  const { type, name, version, qualifiers, subpath } = parsed;
  const slashIndex = name.lastIndexOf("/");
  const isPypi = type === "pypi";
  if (!isPypi && slashIndex <= 0) return parsed;
  const namespace = [parsed.namespace, name.slice(0, Math.max(slashIndex, 0))]
    .filter(Boolean)
    .join("/");
  const own = name.slice(slashIndex + 1);
  return new PackageURL(
    type,
    namespace === "" ? undefined : namespace,
    isPypi ? pypiName(own) : own,
    version,
    qualifiers,
    subpath,
  );
}

/** Reads a package URL. Undefined if the text is not one. */
export function readPurl(text: string): PurlPackage | undefined {
  if (!text.startsWith("pkg:")) return undefined;
  let parsed: PackageURL;
  try {
    parsed = parsePurl(text);
  } catch {
    return undefined;
  }
  const { type, name, qualifiers } = parsed;
  if (!type || !name) return undefined;
  const namespace = parsed.namespace ?? "";
  const separator = separators.get(type);
  const isImage = imageTypes.includes(type);
  const whole = separator && namespace !== "" ? `${namespace}${separator}${name}` : name;
  return {
    purl: parsed.toString(),
    purlType: type,
    artifactType: isImage ? "image" : systemPackageTypes.includes(type) ? type : "library",
    name: (isImage && repositoryName(qualifiers?.repository_url)) || whole,
    bareName: name,
    version: parsed.version ?? "",
    componentType: componentTypes.get(type) ?? type,
    architecture: qualifiers?.arch || "noarch",
    namespace,
    qualifiers: { ...qualifiers },
    subpath: parsed.subpath ?? "",
  };
}

/**
 * The name of an image's repository: the part of its address after the host and namespace, without a tag.
 * Without a namespace, the part after the host. It can contain slashes, like the names of repositories.
 */
function repositoryName(address = ""): string {
  const [, first = "", ...rest] = address
    .replace(/^[a-z]+:\/\//, "")
    .replace(/\/+$/, "")
    .split("/");
  return (rest.length > 0 ? rest.join("/") : first).replace(/[:@].*$/, "");
}

/** The package URL of an image. `address` is that of its repository: the host, a slash and the name. */
export function imagePurl(address: string, digest: string): string {
  const name = address.slice(address.lastIndexOf("/") + 1);
  const qualifiers = { repository_url: address };
  return new PackageURL("oci", undefined, name, digest, qualifiers, undefined).toString();
}

/** The same package in another version, or in all versions, instead of in a range of versions. */
export function atVersion(purl: string, version: string | undefined): string {
  const { type, namespace, name, qualifiers: parsedQualifiers, subpath } = parsePurl(purl);
  const { vers: _, ...qualifiers } = parsedQualifiers ?? {};
  const all = new PackageURL(type, namespace, name, undefined, qualifiers, subpath).toString();
  if (version === undefined) return all;
  try {
    return new PackageURL(type, namespace, name, version, qualifiers, subpath).toString();
  } catch {
    // A type can have rules for versions, and data from other sources may break them.
    return all.replace(/(?=[?#]|$)/, `@${encodeURIComponent(version)}`);
  }
}

/** The same package in a range of versions, as the qualifier `vers` (purl-spec 1.0). The range can be in words. */
export function inRange(purl: string, range: string): string {
  const { type, namespace, name, qualifiers, subpath } = parsePurl(purl);
  const ranged = { ...qualifiers, vers: range };
  return new PackageURL(type, namespace, name, undefined, ranged, subpath).toString();
}

/** The OSV ecosystem of a purl type, if it does not depend on the namespace. */
const ecosystems = new Map(
  Object.entries({
    pypi: "PyPI",
    npm: "npm",
    maven: "Maven",
    golang: "Go",
    cargo: "crates.io",
    gem: "RubyGems",
    nuget: "NuGet",
    composer: "Packagist",
    hex: "Hex",
    pub: "Pub",
    cran: "CRAN",
    hackage: "Hackage",
    conan: "ConanCenter",
    swift: "SwiftURL",
    julia: "Julia",
    opam: "opam",
    bitnami: "Bitnami",
  }),
);

/** The OSV ecosystem of a system's packages, by purl type and namespace. */
const distributions = new Map(
  Object.entries({
    "apk/alpine": "Alpine",
    "apk/wolfi": "Wolfi",
    "apk/minimos": "MinimOS",
    "apk/alpaquita": "Alpaquita",
    "deb/debian": "Debian",
    "deb/ubuntu": "Ubuntu",
    "rpm/redhat": "Red Hat",
    "rpm/almalinux": "AlmaLinux",
    "rpm/rocky-linux": "Rocky Linux",
    "rpm/opensuse": "openSUSE",
    "rpm/suse": "SUSE",
    "rpm/mageia": "Mageia",
    "rpm/openeuler": "openEuler",
    "rpm/photon": "Photon OS",
    "rpm/azurelinux": "Azure Linux",
  }),
);

/** The description of an artifact or component in words. {@link toPurl} converts it to a package URL. */
export interface PackageName {
  /** An artifact_type or a component_type, or OSV's name of the ecosystem in lowercase. */
  type: string;
  name: string;
  architecture: string;
}

/** The purl type for the name of an ecosystem, and the namespace if that matters. */
const purlTypes = new Map(
  Object.entries({
    image: "oci",
    ...invert(distributions),
    ...invert(ecosystems),
    ...invert(componentTypes),
    ...Object.fromEntries([...systemPackageTypes, ...imageTypes].map((type) => [type, type])),
  }),
);

function invert(words: Map<string, string>): Record<string, string> {
  return Object.fromEntries([...words].map(([type, word]) => [word.toLowerCase(), type]));
}

/** The qualifier `distro` of an ecosystem with a release: `debian-12` for `Debian:12`, `alpine-3.20` for `Alpine:v3.20`. */
function distroOf(ecosystem: string): string | undefined {
  const [word = "", ...release] = ecosystem.toLowerCase().split(":");
  const distribution = purlTypes.get(word)?.split("/")[1];
  if (!distribution || release.length === 0) return undefined;
  return `${distribution}-${release
    .join(":")
    .replace(/^v(?=\d)/, "")
    .replace(/:lts$/, "")}`;
}

/** The package in the release that an ecosystem names, such as `Debian:12`. A package URL with `distro` is left as it is. */
export function inRelease(purl: string, ecosystem: string): string {
  const { type, namespace, name, version, qualifiers, subpath } = parsePurl(purl);
  const distro = distroOf(ecosystem);
  if (!distro || qualifiers?.distro) return purl;
  const narrowed = { ...qualifiers, distro };
  return new PackageURL(type, namespace, name, version, narrowed, subpath).toString();
}

/** The parts of a package URL that name a package, without its version. */
export interface PackageParts {
  type: string;
  namespace: string;
  name: string;
}

/** The parts for a description in words. The type is `generic` if the ecosystem has no purl type. */
export function packageParts({ type, name }: Pick<PackageName, "type" | "name">): PackageParts {
  const [word = ""] = type.toLowerCase().split(":");
  const [purlType = "", distribution = ""] = (purlTypes.get(word) ?? "generic").split("/");
  const separator = separators.get(purlType);
  const separatorIndex = separator ? name.lastIndexOf(separator) : -1;
  const namespace =
    separatorIndex > 0 ? name.slice(0, separatorIndex).replaceAll(":", "/") : distribution;
  // A package URL contains only the last segment of an image's repository.
  const last =
    purlType === "oci"
      ? name.split("/").at(-1)
      : separatorIndex > 0
        ? name.slice(separatorIndex + 1)
        : name;
  return { type: purlType, namespace, name: last || name };
}

/** The package URL for a description in words. Its type is `generic` if the ecosystem has no purl type. */
export function toPurl({ type, name, architecture }: PackageName): string {
  const parts = packageParts({ type, name });
  const isBuilt = systemPackageTypes.includes(parts.type) && !["", "noarch"].includes(architecture);
  const distro = distroOf(type);
  const qualifiers = { ...(isBuilt ? { arch: architecture } : {}), ...(distro ? { distro } : {}) };
  const namespace = parts.namespace || undefined;
  try {
    return new PackageURL(
      parts.type,
      namespace,
      parts.name,
      undefined,
      qualifiers,
      undefined,
    ).toString();
  } catch {
    return new PackageURL("generic", undefined, name, undefined, undefined, undefined).toString();
  }
}

/** The OSV ecosystem of a package, with its release if the package has a `distro`. Undefined if OSV has none. */
export function osvEcosystem({ purlType, namespace, qualifiers }: PurlPackage): string | undefined {
  const distribution = distributions.get(`${purlType}/${namespace}`);
  const { distro = "" } = qualifiers;
  const release = distro.startsWith(`${namespace}-`) ? distro.slice(namespace.length + 1) : "";
  if (!distribution || release === "") return ecosystems.get(purlType) ?? distribution;
  const written: Record<string, string> = {
    Alpine: `v${release}`,
    // Ubuntu supports those of April in even years for longer.
    Ubuntu: /^\d[02468]\.04$/.test(release) ? `${release}:LTS` : release,
  };
  return `${distribution}:${written[distribution] ?? release}`;
}

/** The package in all versions and builds, without qualifiers and subpath. `purl` is one of {@link readPurl}. */
export function packageKey(purl: string): string {
  const { type, namespace, name } = parsePurl(purl);
  return partsKey({ type, namespace: namespace ?? "", name });
}

/** The key of a package that is given by its parts. */
export function partsKey({ type, namespace, name }: PackageParts): string {
  try {
    const own = namespace === "" ? undefined : namespace;
    return new PackageURL(type, own, name, undefined, undefined, undefined).toString();
  } catch {
    // Types such as `cran` and `conan` require what the key leaves out.
    const steps = [...namespace.split("/"), name].filter((step) => step !== "");
    return `pkg:${type}/${steps.map(encodeURIComponent).join("/")}`;
  }
}
