/** Package URLs (purl-spec 1.0) and what the rest of the domain calls the things they name. */
import { PackageURL } from "packageurl-js";

/** What a package URL comes to. */
export interface PurlPackage {
  /** The URL in its canonical form. */
  purl: string;
  /** Its type, `oci` or `pypi`. */
  purlType: string;
  /** As an advisory's artifact_type: `image`, the format of a system's package, or `library`. */
  artifactType: string;
  /** As the package's own ecosystem writes it: `group:artifact` of Maven, `@scope/name` of npm. */
  name: string;
  /** Version or digest; empty where the URL names all versions. */
  version: string;
  /** As an advisory's component_type. */
  componentType: string;
  /** As an advisory's artifact_architecture. */
  architecture: string;
  /** The distribution or vendor, such as `debian`; else empty. */
  namespace: string;
}

/** The purl types of what runs as a whole. */
const imageTypes = ["oci", "docker"];
/** The purl types of what a system's package manager installs. */
const systemPackageTypes = ["apk", "deb", "rpm", "alpm", "bitnami"];

/** Purl types that an advisory's component_type has another word for. */
const componentTypes = new Map(
  Object.entries({
    pypi: "python",
    maven: "java",
    npm: "javascript",
    golang: "go-module",
  }),
);

/** Purl types whose namespace is part of the name, and what stands between. */
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

/** Reads a package URL; undefined where it is none. */
export function readPurl(text: string): PurlPackage | undefined {
  if (!text.startsWith("pkg:")) return undefined;
  let parsed: PackageURL;
  try {
    parsed = PackageURL.fromString(text);
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
    version: parsed.version ?? "",
    componentType: componentTypes.get(type) ?? type,
    architecture: qualifiers?.arch || "noarch",
    namespace,
  };
}

/**
 * Name of an image's repository: what follows host and namespace in its address, without a tag. It
 * may have slashes, as names of repos do. Where there is no namespace, what follows the host.
 */
function repositoryName(address = ""): string {
  const [, first = "", ...rest] = address
    .replace(/^[a-z]+:\/\//, "")
    .replace(/\/+$/, "")
    .split("/");
  return (rest.length > 0 ? rest.join("/") : first).replace(/[:@].*$/, "");
}

/** The same package in another version, or in all. `purl` is as {@link readPurl} answers it. */
export function atVersion(purl: string, version: string | undefined): string {
  const { type, namespace, name, qualifiers, subpath } = PackageURL.fromString(purl);
  const all = new PackageURL(type, namespace, name, undefined, qualifiers, subpath).toString();
  if (version === undefined) return all;
  try {
    return new PackageURL(type, namespace, name, version, qualifiers, subpath).toString();
  } catch {
    // A type may have rules for versions, which what others wrote need not keep.
    return all.replace(/(?=[?#]|$)/, `@${encodeURIComponent(version)}`);
  }
}

/** The OSV ecosystem of a purl type, where it has one whatever the namespace. */
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
    "deb/debian": "Debian",
    "deb/ubuntu": "Ubuntu",
    "rpm/redhat": "Red Hat",
    "rpm/almalinux": "AlmaLinux",
    "rpm/rocky-linux": "Rocky Linux",
    "rpm/opensuse": "openSUSE",
    "rpm/suse": "SUSE",
    "rpm/mageia": "Mageia",
    "rpm/openeuler": "openEuler",
  }),
);

/** What an artifact or component is called in words, of which {@link toPurl} makes a package URL. */
export interface PackageName {
  /** An artifact_type, or a component_type; OSV's name of the ecosystem in small letters will do. */
  type: string;
  name: string;
  architecture: string;
}

/** Purl type, and namespace where that decides, by the words that there are for an ecosystem. */
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

/**
 * The package URL of something of which only words are known; `generic` where the ecosystem has no
 * type of package URLs.
 */
export function toPurl({ type, name, architecture }: PackageName): string {
  const [word = ""] = type.toLowerCase().split(":");
  const [purlType = "", distribution] = (purlTypes.get(word) ?? "generic").split("/");
  const separator = separators.get(purlType);
  const at = separator ? name.lastIndexOf(separator) : -1;
  const namespace = at > 0 ? name.slice(0, at).replaceAll(":", "/") : distribution;
  const isBuilt = systemPackageTypes.includes(purlType) && !["", "noarch"].includes(architecture);
  const qualifiers = isBuilt ? { arch: architecture } : undefined;
  try {
    // Of an image's repository a package URL has the last step only.
    const last = purlType === "oci" ? name.split("/").at(-1) : at > 0 ? name.slice(at + 1) : name;
    return new PackageURL(
      purlType,
      namespace,
      last || name,
      undefined,
      qualifiers,
      undefined,
    ).toString();
  } catch {
    return new PackageURL("generic", undefined, name, undefined, undefined, undefined).toString();
  }
}

/** The OSV ecosystem that a package belongs to; undefined where OSV knows none. */
export const osvEcosystem = ({ purlType, namespace }: PurlPackage): string | undefined =>
  ecosystems.get(purlType) ?? distributions.get(`${purlType}/${namespace}`);
