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
  const documentPath = `${path}.document`;
  const profile = reader.choice(`${documentPath}.category`, head.category, profiles);
  if (profile === undefined && !head.category)
    reader.refuse(`${documentPath}.category`, "is required");
  // Version 2.1 names products and their status in other members, which would be read as less than they say.
  if (head.csaf_version !== "2.0") reader.refuse(`${documentPath}.csaf_version`, "must be 2.0");
  if (!head.title) reader.refuse(`${documentPath}.title`, "is required");
  const publisher = reader.object(`${documentPath}.publisher`, head.publisher);
  const namespace = readId(reader, `${documentPath}.publisher.namespace`, publisher.namespace);
  if (namespace === "") reader.refuse(`${documentPath}.publisher.namespace`, "is required");
  const author = reader.cutText(`${documentPath}.publisher.name`, publisher.name, maxAuthorLength);
  if (author === "") reader.refuse(`${documentPath}.publisher.name`, "is required");
  const tracking = reader.object(`${documentPath}.tracking`, head.tracking);
  const id = reader.text(`${documentPath}.tracking.id`, tracking.id, maxTitleLength);
  const version = reader.text(`${documentPath}.tracking.version`, tracking.version);
  const status =
    reader.choice(`${documentPath}.tracking.status`, tracking.status, trackingStatuses) ?? "";
  const released = tracking.current_release_date;
  const time = reader.timeWithOffset(`${documentPath}.tracking.current_release_date`, released);
  if (!released) reader.refuse(`${documentPath}.tracking.current_release_date`, "is required");
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
    references: readReferences(reader, head.references, `${documentPath}.references`).filter(
      ({ type }) => type === advisory,
    ),
    tree,
  };
  const list = reader.objects(`${path}.vulnerabilities`, document.vulnerabilities);
  if (list.length === 0) reader.refuse(`${path}.vulnerabilities`, "must contain a vulnerability");
  return list.flatMap((vulnerability, i) =>
    readVulnerability(reader, vulnerability, `${path}.vulnerabilities[${i}]`, context),
  );
}

function readReferences(reader: JsonReader, value: JsonValue | undefined, path: string) {
  return reader.objects(path, value).flatMap((reference, i) => {
    const category = reader.optionalText(`${path}[${i}].category`, reference.category);
    const url = reader.optionalText(`${path}[${i}].url`, reference.url, 20_000);
    if (url.length > maxUrlLength) return [];
    return /^https?:/.test(url) ? [{ type: category === "self" ? advisory : web, url }] : [];
  });
}

function readVulnerability(
  reader: JsonReader,
  vulnerability: JsonObject,
  path: string,
  context: DocumentContext,
): VexStatement[] {
  const { tree, isVex } = context;
  const notes = {
    flags: readNotes(reader, vulnerability, path, "flags", tree),
    remediations: readNotes(reader, vulnerability, path, "remediations", tree),
    impacts: readNotes(reader, vulnerability, path, "threats", tree).filter(
      ({ category }) => category === "impact",
    ),
  };
  const whole = {
    author: context.author,
    time: context.time,
    vulnerability: readVulnerabilityNames(reader, vulnerability, path),
    summary: reader.cutText(`${path}.title`, vulnerability.title, maxTitleLength),
    details: readDescription(reader, vulnerability, path),
    references: [
      ...context.references,
      ...readReferences(reader, vulnerability.references, `${path}.references`),
    ],
  };
  const scores = readProductScores(reader, vulnerability, path, tree);
  const said = readProductStatus(reader, vulnerability, path, tree);
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
  vulnerability: JsonObject,
  path: string,
): StoredVulnerability {
  const cve = reader.optionalText(`${path}.cve`, vulnerability.cve);
  if (cve !== "" && !/^CVE-\d{4}-\d{4,}$/.test(cve))
    reader.refuse(`${path}.cve`, "must be a CVE id, such as CVE-2021-44228");
  const ids = reader
    .objects(`${path}.ids`, vulnerability.ids)
    .map((id, i) => reader.text(`${path}.ids[${i}].text`, id.text));
  const [name = "", ...others] = [...new Set([...(cve === "" ? [] : [cve]), ...ids])];
  if (name === "") reader.refuse(`${path}.cve`, "or ids is required");
  if (others.length > maxAliases)
    reader.refuse(`${path}.ids`, `must have at most ${maxAliases} items`);
  return { name, ...(others.length > 0 ? { aliases: others } : {}) };
}

/** The first note that describes the vulnerability, otherwise the first that summarizes it. */
function readDescription(reader: JsonReader, vulnerability: JsonObject, path: string): string {
  const notes = reader.objects(`${path}.notes`, vulnerability.notes).map((note, i) => ({
    category: reader.text(`${path}.notes[${i}].category`, note.category),
    text: reader.cutText(`${path}.notes[${i}].text`, note.text, maxDescriptionLength),
  }));
  const of = (wanted: string) => notes.find(({ category }) => category === wanted)?.text;
  return of("description") ?? of("summary") ?? "";
}

/** The status of each product, and the field that contains it. A product has only one status. */
function readProductStatus(
  reader: JsonReader,
  vulnerability: JsonObject,
  path: string,
  tree: ProductTree,
) {
  const said = new Map<string, { status: VexStatus; field: string; list: string }>();
  const lists = reader.object(`${path}.product_status`, vulnerability.product_status);
  for (const [list, value] of Object.entries(lists)) {
    const listPath = `${path}.product_status.${list}`;
    if (!csafStatusOf.has(list)) {
      reader.refuse(listPath, `is not a known status; use ${[...csafStatusOf.keys()].join(", ")}`);
      continue;
    }
    const ids = readProductIds(reader, value, listPath, tree.products);
    const status = csafStatusOf.get(list);
    if (status === undefined) continue;
    for (const [i, id] of ids.entries()) {
      const field = `${listPath}[${i}]`;
      const before = said.get(id);
      if (before && before.status !== status) {
        reader.refuse(field, `contradicts ${before.field} about the same product`);
      } else if (!before) said.set(id, { status, field, list });
    }
  }
  return said;
}
