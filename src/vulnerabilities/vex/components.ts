/** Products and parts of products, as documents of VEX identify them. */
import type { JsonObject } from "@bufbuild/protobuf";
import type { StoredComponent } from "../../../schema/tables/vulnerabilities/vex_subjects.ts";
import { truncate } from "../../aip/well_formed.ts";
import type { JsonReader } from "../json_reader.ts";
import { readPurl } from "../purls.ts";
import type { VexComponent } from "./statement.ts";

/** Names of hash functions in OpenVEX (its Appendix A), and how long their values are in hex. */
const hashLengths = new Map(
  Object.entries({
    md5: 32,
    sha1: 40,
    "sha-256": 64,
    "sha-384": 96,
    "sha-512": 128,
    "sha3-224": 56,
    "sha3-256": 64,
    "sha3-384": 96,
    "sha3-512": 128,
    "blake2s-256": 64,
    "blake2b-256": 64,
    "blake2b-512": 128,
  }),
);

const maxIdLength = 1024;
/** RFC 3986: a scheme, and then nothing that would have to be escaped. */
const uriPattern =
  /^[A-Za-z][A-Za-z0-9+.-]*:(?:[A-Za-z0-9\-._~:/?#[\]@!$&'()*+,;=]|%[0-9A-Fa-f]{2})+$/;

/** Whether a text is a URI as JSON schemas have it. */
export const isUri = (text: string) => uriPattern.test(text);

/** A field with a URI, or "" where there is none. */
export function readUri(reader: JsonReader, field: string, value: JsonObject[string] | undefined) {
  const text = reader.optionalText(field, value, maxIdLength);
  if (text !== "" && !isUri(text)) reader.refuse(field, "must be a URI (RFC 3986)");
  return text;
}

/**
 * Refuses a text that is not a package URL, and one that is too long once it is percent-encoded as its specification
 * demands: it is where an advisory's component lies, which version 1 limits.
 */
export function requirePurl(reader: JsonReader, field: string, text: string): void {
  const found = readPurl(text);
  if (!found) reader.refuse(field, "must be a package URL");
  else if (found.purl.length > maxIdLength) {
    reader.refuse(field, `must be at most ${maxIdLength} characters long when percent-encoded`);
  }
}

/** What a document says of a product, whatever its format. Where it says nothing: "". */
export interface Identification {
  id: string;
  purl: string;
  cpe22: string;
  cpe23: string;
  hashes: Record<string, string>;
  /** Words for it, and its version in words. */
  name: string;
  version: string;
}

/**
 * Reads the identifiers and hashes that stand at a place. Refuses a package URL, CPE name or hash
 * that is none.
 */
export function readIdentifiers(
  reader: JsonReader,
  path: string,
  given: { purl?: JsonObject[string]; cpe22?: JsonObject[string]; cpe23?: JsonObject[string] },
): Pick<Identification, "purl" | "cpe22" | "cpe23"> {
  const purl = reader.optionalText(`${path}.purl`, given.purl, maxIdLength);
  if (purl !== "") requirePurl(reader, `${path}.purl`, purl);
  const cpe22 = reader.optionalText(`${path}.cpe22`, given.cpe22, maxIdLength);
  if (cpe22 !== "" && !/^cpe:\//i.test(cpe22)) {
    reader.refuse(`${path}.cpe22`, "must be a CPE 2.2 name, such as cpe:/a:vendor:product:1.0");
  }
  const cpe23 = reader.optionalText(`${path}.cpe23`, given.cpe23, maxIdLength);
  if (cpe23 !== "" && !/^cpe:2\.3:/.test(cpe23)) {
    reader.refuse(`${path}.cpe23`, "must be a CPE 2.3 name, such as cpe:2.3:a:vendor:product:1.0");
  }
  return { purl, cpe22, cpe23 };
}

/** Reads hashes by the names that OpenVEX has for the functions. */
export function readHashes(reader: JsonReader, path: string, given: JsonObject) {
  const hashes: Record<string, string> = {};
  for (const [name, value] of Object.entries(given)) {
    const length = hashLengths.get(name);
    if (length === undefined) {
      reader.refuse(`${path}.${name}`, `is none of ${[...hashLengths.keys()].join(", ")}`);
      continue;
    }
    const text = reader.text(`${path}.${name}`, value).toLowerCase();
    if (text !== "" && !(text.length === length && /^[0-9a-f]+$/.test(text))) {
      reader.refuse(`${path}.${name}`, `must be ${length} hexadecimal digits`);
    }
    hashes[name] = text;
  }
  return hashes;
}

/** Fields of a CPE name, where it tells them: neither any (`*`) nor none (`-`). */
function cpeFields({ cpe22, cpe23 }: Identification): { product: string; version: string } {
  const fields = (cpe23 === "" ? cpe22 : cpe23).split(/(?<!\\):/);
  const [product = "", version = ""] = cpe23 === "" ? fields.slice(3) : fields.slice(4);
  const knownField = (field: string) => (/^[*-]?$/.test(field) ? "" : field.replaceAll("\\", ""));
  return { product: knownField(product), version: knownField(version) };
}

/** The component that an identification comes to. It has to identify something. */
export function toComponent(given: Identification): VexComponent {
  const { id, hashes, cpe22, cpe23 } = given;
  const found = [given.purl, id]
    .map(readPurl)
    .find((one) => one !== undefined && one.purl.length <= maxIdLength);
  const cpe = cpeFields(given);
  const [hash] = Object.entries(hashes);
  const digest = hashes["sha-256"] ? `sha256:${hashes["sha-256"]}` : "";
  const location =
    found?.purl || cpe23 || cpe22 || id || (hash ? `${hash[0]}:${hash[1]}` : given.name);
  const name = found?.name || given.name || cpe.product || lastStep(id) || location;
  return {
    stored: toStoredComponent(given),
    key: found?.purl || id || cpe23 || cpe22 || location,
    name: truncate(name, 255),
    artifactType: found?.artifactType ?? "product",
    componentType: found?.componentType ?? "generic",
    architecture: found?.architecture ?? "noarch",
    version: truncate(found?.version || given.version || cpe.version || digest, 255),
    location,
  };
}

const lastStep = (id: string) => id.split(/[/#]/).findLast((step) => step !== "") ?? "";

/** The identification as OpenVEX writes it. */
function toStoredComponent({ id, purl, cpe22, cpe23, hashes }: Identification): StoredComponent {
  const identifiers = {
    ...(purl === "" ? {} : { purl }),
    ...(cpe22 === "" ? {} : { "@cpe22": cpe22 }),
    ...(cpe23 === "" ? {} : { "@cpe23": cpe23 }),
  };
  return {
    ...(id === "" ? {} : { "@id": id }),
    ...(Object.keys(identifiers).length === 0 ? {} : { identifiers }),
    ...(Object.keys(hashes).length === 0 ? {} : { hashes }),
  };
}
