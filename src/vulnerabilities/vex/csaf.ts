/** Reads CSAF 2.0 documents of the profiles VEX and security advisory as statements. */
import type { JsonObject, JsonValue } from "@bufbuild/protobuf";
import { ImportCsafDocumentsResponseSchema } from "../../../schema/gen/platform/vulnerabilities/v2/csaf_documents_pb.js";
import type {
  StoredCsaf,
  StoredVulnerability,
} from "../../../schema/tables/vulnerabilities/vex_subjects.ts";
import { isObject } from "../../aip/json.ts";
import type { JsonReader } from "../json_reader.ts";
import { readId } from "./components.ts";
import { type CsafNote, joinRemedies, readNotes, readProductScores } from "./csaf_notes.ts";
import { type ProductTree, readProductIds, readProductTree } from "./csaf_products.ts";
import type { VexFormat } from "./import.ts";
import {
  maxAuthorLength,
  maxDescriptionLength,
  maxStatements,
  type VexStatement,
  type VexStatus,
} from "./statement.ts";

/** Other profiles, such as `csaf_base`, say nothing about the status of products. */
const profiles = ["csaf_vex", "csaf_security_advisory"] as const;
const trackingStatuses = ["draft", "interim", "final"] as const;
const maxTitleLength = 1_000;
const maxAliases = 100;
const maxUrlLength = 2048;
/** Numbers of advisory.v2 Reference.Type. */
const [advisory, web] = [1, 10];

/** The meaning of each list in `product_status`. `recommended` is not about the vulnerability. */
export const csafStatusOf = new Map<string, VexStatus | undefined>(
  Object.entries<VexStatus | undefined>({
    first_affected: "affected",
    known_affected: "affected",
    last_affected: "affected",
    first_fixed: "fixed",
    fixed: "fixed",
    known_not_affected: "not_affected",
    under_investigation: "under_investigation",
    recommended: undefined,
  }),
);

/** The parts of a document that are needed to read its vulnerabilities. */
interface DocumentContext {
  author: string;
  time: number;
  isVex: boolean;
  references: VexStatement["references"];
  tree: ProductTree;
  tracking: StoredCsaf["document"];
}

export const csaf: VexFormat = {
  idOf: ({ document }) =>
    isObject(document) && isObject(document.tracking) ? document.tracking.id : "",
  read: readCsaf,
  answer: ImportCsafDocumentsResponseSchema,
};

/**
 * Reads a document. `path` is its place in the request (`documents[3]`), which the fields of violations begin
 * with. Use the statements only if there are no violations.
 */
export function readCsaf(reader: JsonReader, document: JsonObject, path: string): VexStatement[] {
  const head = reader.object(`${path}.document`, document.document);
  const at = `${path}.document`;
  const profile = reader.choice(`${at}.category`, head.category, profiles);
  if (profile === undefined && !head.category) reader.refuse(`${at}.category`, "is required");
  // Version 2.1 names products and their status in other members, which would be read as less than they say.
  if (head.csaf_version !== "2.0") reader.refuse(`${at}.csaf_version`, "must be 2.0");
  if (!head.title) reader.refuse(`${at}.title`, "is required");
  const publisher = reader.object(`${at}.publisher`, head.publisher);
  const namespace = readId(reader, `${at}.publisher.namespace`, publisher.namespace);
  if (namespace === "") reader.refuse(`${at}.publisher.namespace`, "is required");
  const author = reader.cutText(`${at}.publisher.name`, publisher.name, maxAuthorLength);
  if (author === "") reader.refuse(`${at}.publisher.name`, "is required");
  const tracking = reader.object(`${at}.tracking`, head.tracking);
  const id = reader.text(`${at}.tracking.id`, tracking.id, maxTitleLength);
  const version = reader.text(`${at}.tracking.version`, tracking.version);
  const status = reader.choice(`${at}.tracking.status`, tracking.status, trackingStatuses) ?? "";
  const released = tracking.current_release_date;
  const time = reader.timeWithOffset(`${at}.tracking.current_release_date`, released);
  if (!released) reader.refuse(`${at}.tracking.current_release_date`, "is required");
  const tree = readProductTree(
    reader,
    document.product_tree,
    `${path}.product_tree`,
    namespace.replace(/#.*$/, ""),
  );
  const context: DocumentContext = {
    author,
    tracking: { namespace, id, version, status },
    time: time ?? 0,
    isVex: profile === "csaf_vex",
    references: readReferences(reader, head.references, `${at}.references`).filter(
      ({ type }) => type === advisory,
    ),
    tree,
  };
  const list = reader.objects(`${path}.vulnerabilities`, document.vulnerabilities);
  if (list.length === 0) reader.refuse(`${path}.vulnerabilities`, "must contain a vulnerability");
  return list.flatMap((one, i) =>
    readVulnerability(reader, one, `${path}.vulnerabilities[${i}]`, context),
  );
}

function readReferences(reader: JsonReader, value: JsonValue | undefined, path: string) {
  return reader.objects(path, value).flatMap((one, i) => {
    const category = reader.optionalText(`${path}[${i}].category`, one.category);
    const url = reader.optionalText(`${path}[${i}].url`, one.url, 20_000);
    if (url.length > maxUrlLength) return [];
    return /^https?:/.test(url) ? [{ type: category === "self" ? advisory : web, url }] : [];
  });
}

function readVulnerability(
  reader: JsonReader,
  given: JsonObject,
  path: string,
  context: DocumentContext,
): VexStatement[] {
  const { tree, isVex } = context;
  const notes = {
    flags: readNotes(reader, given, path, "flags", tree),
    remediations: readNotes(reader, given, path, "remediations", tree),
    impacts: readNotes(reader, given, path, "threats", tree).filter(
      ({ category }) => category === "impact",
    ),
  };
  const whole = {
    author: context.author,
    time: context.time,
    vulnerability: readVulnerabilityNames(reader, given, path),
    summary: reader.cutText(`${path}.title`, given.title, maxTitleLength),
    details: readDescription(reader, given, path),
    references: [
      ...context.references,
      ...readReferences(reader, given.references, `${path}.references`),
    ],
  };
  const scores = readProductScores(reader, given, path, tree);
  const said = readProductStatus(reader, given, path, tree);
  if (said.size > maxStatements) {
    reader.refuse(`${path}.product_status`, `must name at most ${maxStatements} products`);
    return [];
  }
  return [...said].flatMap(([id, { status, field, list }]): VexStatement[] => {
    const product = tree.products.get(id);
    if (!product) return [];
    const about = notesAbout(id, notes);
    if (isVex) checkJustification(reader, field, status, about);
    const note = joinNotes(reader, status, about);
    if (note === undefined) {
      reader.refuse(path, `repeats too many notes for its products; name fewer products`);
      return [];
    }
    const severities = scores.find(({ ids }) => ids.has(id))?.severities ?? [];
    const justification = status === "not_affected" ? about.flag?.label : undefined;
    const isFinal = status === "affected" && isFixNotPlanned(about.remedies);
    const remediations = about.remedies.map(({ category, details, url }) => ({
      category,
      details,
      ...(url === "" ? {} : { url }),
    }));
    const csaf = { document: context.tracking, list, remediations };
    return [
      { ...whole, ...product, path: field, severities, status, justification, isFinal, note, csaf },
    ];
  });
}

/** The data of a document about one product, besides its status. */
interface ProductNotes {
  flag: CsafNote | undefined;
  impacts: CsafNote[];
  remedies: CsafNote[];
}

function notesAbout(
  id: string,
  { flags, remediations, impacts }: Record<"flags" | "remediations" | "impacts", CsafNote[]>,
): ProductNotes {
  const isHere = ({ ids }: CsafNote) => ids.has(id);
  return {
    flag: flags.find(isHere),
    impacts: impacts.filter(isHere),
    remedies: remediations.filter(isHere),
  };
}

/**
 * The rules of the profile csaf_vex: a product that is not affected has a reason, and an affected one has a
 * remedy.
 */
function checkJustification(
  reader: JsonReader,
  field: string,
  status: VexStatement["status"],
  { flag, impacts, remedies }: ProductNotes,
): void {
  if (status === "not_affected" && !flag && impacts.length === 0) {
    reader.refuse(field, "needs a flag, or a threat of the category impact");
  }
  if (status === "affected" && remedies.length === 0) {
    reader.refuse(field, "needs a remediation");
  }
}

/** The notes on a product as one text. Undefined if all notes so far are too long. */
function joinNotes(
  reader: JsonReader,
  status: VexStatement["status"],
  { impacts, remedies }: ProductNotes,
): string | undefined {
  if (status === "under_investigation") return "";
  const notes = status === "not_affected" ? impacts : remedies;
  const size = notes.reduce((sum, { text }) => sum + text.length + 2, 0);
  if (!reader.mayRepeat(size)) return undefined;
  return joinRemedies(notes.map(({ text }) => text));
}

const isFixNotPlanned = (remedies: CsafNote[]) =>
  remedies.length > 0 && remedies.every(({ category }) => category === "no_fix_planned");

/** The CVE id, otherwise the first other id. The remaining ids are aliases. */
function readVulnerabilityNames(
  reader: JsonReader,
  given: JsonObject,
  path: string,
): StoredVulnerability {
  const cve = reader.optionalText(`${path}.cve`, given.cve);
  if (cve !== "" && !/^CVE-\d{4}-\d{4,}$/.test(cve))
    reader.refuse(`${path}.cve`, "must be a CVE id, such as CVE-2021-44228");
  const ids = reader
    .objects(`${path}.ids`, given.ids)
    .map((one, i) => reader.text(`${path}.ids[${i}].text`, one.text));
  const [name = "", ...others] = [...new Set([...(cve === "" ? [] : [cve]), ...ids])];
  if (name === "") reader.refuse(`${path}.cve`, "or ids is required");
  if (others.length > maxAliases)
    reader.refuse(`${path}.ids`, `must have at most ${maxAliases} items`);
  return { name, ...(others.length > 0 ? { aliases: others } : {}) };
}

/** The first note that describes the vulnerability, otherwise the first that summarizes it. */
function readDescription(reader: JsonReader, given: JsonObject, path: string): string {
  const notes = reader.objects(`${path}.notes`, given.notes).map((note, i) => ({
    category: reader.text(`${path}.notes[${i}].category`, note.category),
    text: reader.cutText(`${path}.notes[${i}].text`, note.text, maxDescriptionLength),
  }));
  const of = (wanted: string) => notes.find(({ category }) => category === wanted)?.text;
  return of("description") ?? of("summary") ?? "";
}

/** The status of each product, and the field that contains it. A product has only one status. */
function readProductStatus(reader: JsonReader, given: JsonObject, path: string, tree: ProductTree) {
  const said = new Map<string, { status: VexStatus; field: string; list: string }>();
  const lists = reader.object(`${path}.product_status`, given.product_status);
  for (const [list, value] of Object.entries(lists)) {
    const at = `${path}.product_status.${list}`;
    if (!csafStatusOf.has(list)) {
      reader.refuse(at, `is not a known status; use ${[...csafStatusOf.keys()].join(", ")}`);
      continue;
    }
    const ids = readProductIds(reader, value, at, tree.products);
    const status = csafStatusOf.get(list);
    if (status === undefined) continue;
    for (const [i, id] of ids.entries()) {
      const field = `${at}[${i}]`;
      const before = said.get(id);
      if (before && before.status !== status) {
        reader.refuse(field, `contradicts ${before.field} about the same product`);
      } else if (!before) said.set(id, { status, field, list });
    }
  }
  return said;
}
