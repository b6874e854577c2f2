/** Products and parts of products, as VEX documents identify them. */
import type { JsonObject } from "@bufbuild/protobuf";
import type { StoredComponent } from "../../../schema/tables/vulnerabilities/vex_subjects.ts";
import { truncate } from "../../aip/well_formed.ts";
import { readPurl } from "../../packages/purls.ts";
import { canonicalJson } from "../canonical_json.ts";
import type { JsonReader } from "../json_reader.ts";
import type { VexComponent } from "./statement.ts";

/** The names of hash functions in OpenVEX (its Appendix A), and the length of their values in hexadecimal. */
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
/** RFC 3986: a scheme, followed by characters that need no escaping. */
const uriPattern =
  /^[A-Za-z][A-Za-z0-9+.-]*:(?:[A-Za-z0-9\-._~:/?#[\]@!$&'()*+,;=]|%[0-9A-Fa-f]{2})+$/;

/** Whether a text is a URI in the sense of JSON Schema. */
export const isUri = (text: string) => uriPattern.test(text);

/**
 * A field with the identifier of a document or of a thing. "" if it is absent. The formats say IRI (RFC 3987), and
 * tools write other texts too. It is kept as it is, because only the same text stands for the same thing.
 */
export function readId(reader: JsonReader, field: string, value: JsonObject[string] | undefined) {
  const text = reader.optionalText(field, value, maxIdLength);
  if (/\p{Cc}/u.test(text)) reader.refuse(field, "must not have control characters");
  return text;
}

/**
 * Refuses a text that is not a package URL. Also refuses one that is too long with the percent-encoding that
 * the specification requires. It becomes the location of an advisory's component, and version 1 limits that.
 */
export function requirePurl(reader: JsonReader, field: string, text: string): void {
  const parsedPurl = readPurl(text);
  if (!parsedPurl) reader.refuse(field, "must be a package URL");
  else if (parsedPurl.purl.length > maxIdLength) {
    reader.refuse(field, `must have at most ${maxIdLength} characters when percent-encoded`);
  }
}

/** The data of a document about a product, in either format. Absent values are "". */
export interface Identification {
  id: string;
  purl: string;
  cpe22: string;
  cpe23: string;
  hashes: Record<string, string>;
  /** Its name in words, its version in words, and its range of versions in `vers` notation or in words. */
  name: string;
  version: string;
  range: string;
}

/** Reads the identifiers and hashes at a place. Refuses an invalid package URL, CPE name or hash. */
export function readIdentifiers(
  reader: JsonReader,
  path: string,
  identifiers: {
    purl?: JsonObject[string];
    cpe22?: JsonObject[string];
    cpe23?: JsonObject[string];
  },
): Pick<Identification, "purl" | "cpe22" | "cpe23"> {
  const purl = reader.optionalText(`${path}.purl`, identifiers.purl, maxIdLength);
  if (purl !== "") requirePurl(reader, `${path}.purl`, purl);
  const cpe22 = reader.optionalText(`${path}.cpe22`, identifiers.cpe22, maxIdLength);
  if (cpe22 !== "" && !/^cpe:\//i.test(cpe22)) {
    reader.refuse(`${path}.cpe22`, "must be a CPE 2.2 name, such as cpe:/a:vendor:product:1.0");
  }
  const cpe23 = reader.optionalText(`${path}.cpe23`, identifiers.cpe23, maxIdLength);
  if (cpe23 !== "" && !/^cpe:2\.3:/.test(cpe23)) {
    reader.refuse(`${path}.cpe23`, "must be a CPE 2.3 name, such as cpe:2.3:a:vendor:product:1.0");
  }
  return { purl, cpe22, cpe23 };
}

/** Reads hashes under the names of the functions in OpenVEX. */
export function readHashes(reader: JsonReader, path: string, hashTexts: JsonObject) {
  const hashes: Record<string, string> = {};
  for (const [name, value] of Object.entries(hashTexts)) {
    const length = hashLengths.get(name);
    if (length === undefined) {
      reader.refuse(
        `${path}.${name}`,
        `is not a known hash; use ${[...hashLengths.keys()].join(", ")}`,
      );
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

/** The fields of a CPE name with a value: neither any (`*`) nor none (`-`). */
function cpeFields({ cpe22, cpe23 }: Identification): { product: string; version: string } {
  const fields = (cpe23 === "" ? cpe22 : cpe23).split(/(?<!\\):/);
  const [product = "", version = ""] = cpe23 === "" ? fields.slice(3) : fields.slice(4);
  const knownField = (field: string) => (/^[*-]?$/.test(field) ? "" : field.replaceAll("\\", ""));
  return { product: knownField(product), version: knownField(version) };
}

/** The component for an identification, which must identify something. */
export function toComponent(identification: Identification): VexComponent {
  const { id, hashes, cpe22, cpe23 } = identification;
  const parsedPurl = [identification.purl, id]
    .map(readPurl)
    .find((candidate) => candidate !== undefined && candidate.purl.length <= maxIdLength);
  const cpe = cpeFields(identification);
  const [hash] = Object.entries(hashes);
  const digest = hashes["sha-256"] ? `sha256:${hashes["sha-256"]}` : "";
  const location =
    parsedPurl?.purl ||
    cpe23 ||
    cpe22 ||
    id ||
    (hash ? `${hash[0]}:${hash[1]}` : identification.name);
  const name = parsedPurl?.name || identification.name || cpe.product || lastStep(id) || location;
  const stored = toStoredComponent(identification, parsedPurl?.version ?? "");
  const { version = "", range = "" } = stored;
  const whole = parsedPurl?.purl || id || cpe23 || cpe22 || location;
  return {
    stored,
    key: version || range ? canonicalJson([whole, version, range]) : whole,
    name: truncate(name, 255),
    artifactType: parsedPurl?.artifactType ?? "product",
    componentType: parsedPurl?.componentType ?? "generic",
    architecture: parsedPurl?.architecture ?? "noarch",
    version: range
      ? ""
      : truncate(parsedPurl?.version || identification.version || cpe.version || digest, 255),
    location,
  };
}

const lastStep = (id: string) => id.split(/[/#]/).findLast((step) => step !== "") ?? "";

/** The identification in the form of OpenVEX. `known` is the version in its package URL. */
function toStoredComponent(
  { id, purl, cpe22, cpe23, hashes, version, range }: Identification,
  known: string,
): StoredComponent {
  const identifiers = {
    ...(purl === "" ? {} : { purl }),
    ...(cpe22 === "" ? {} : { "@cpe22": cpe22 }),
    ...(cpe23 === "" ? {} : { "@cpe23": cpe23 }),
  };
  return {
    ...(id === "" ? {} : { "@id": id }),
    ...(Object.keys(identifiers).length === 0 ? {} : { identifiers }),
    ...(Object.keys(hashes).length === 0 ? {} : { hashes }),
    ...(version === "" || known !== "" || range !== "" ? {} : { version }),
    ...(range === "" || known !== "" ? {} : { range }),
  };
}
