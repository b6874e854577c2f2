/** Reads OpenVEX documents (specification and JSON schema 0.2, and what tools wrote before) as statements. */
import type { JsonObject } from "@bufbuild/protobuf";
import { ImportOpenVexDocumentsResponseSchema } from "../../../schema/gen/platform/vulnerabilities/v2/openvex_documents_pb.js";
import type { StoredVulnerability } from "../../../schema/tables/vulnerabilities/vex_subjects.ts";
import { truncate } from "../../aip/well_formed.ts";
import type { JsonReader } from "../json_reader.ts";
import { readHashes, readId, readIdentifiers, requirePurl, toComponent } from "./components.ts";
import type { VexFormat } from "./import.ts";
import {
  justifications,
  maxAuthorLength,
  maxDescriptionLength,
  maxNoteLength,
  type VexComponent,
  type VexStatement,
  vexStatuses,
} from "./statement.ts";

/** The versions up to 0.2. In those before it, vulnerabilities and products are texts. */
const contextPattern = /^https:\/\/openvex\.dev\/ns(\/(v0\.[0-2]\.\d+\/?)?)?$/;
const maxAliases = 100;
/** Number of advisory.v2 Reference.Type. */
const webReference = 10;

export const openVex: VexFormat = {
  idOf: (document) => document["@id"],
  read: (reader, document, path) => readOpenVex(reader, document, path),
  answer: ImportOpenVexDocumentsResponseSchema,
};

/**
 * Reads a document. `path` is its place in the request (`documents[3]`), which the fields of violations begin
 * with. Use the statements only if there are no violations. A statement about several products or parts
 * becomes one statement for each. A statement without products is about `subject`: that of the attestation or
 * of the manifest in which the document came.
 */
export function readOpenVex(
  reader: JsonReader,
  document: JsonObject,
  path: string,
  subject?: JsonObject,
): VexStatement[] {
  const named = reader.text(`${path}.@context`, document["@context"], 1024);
  if (named !== "" && !contextPattern.test(named)) {
    reader.refuse(`${path}.@context`, "must be https://openvex.dev/ns/v0.2.0");
  }
  if (readId(reader, `${path}.@id`, document["@id"]) === "") {
    reader.refuse(`${path}.@id`, "is required");
  }
  if (!/^[1-9]\d*$/.test(String(document.version))) {
    reader.refuse(`${path}.version`, "must be a whole number of at least 1");
  }
  if (!document.author) reader.refuse(`${path}.author`, "is required");
  const author = reader.cutText(`${path}.author`, document.author, maxAuthorLength);
  const issued = reader.timeWithOffset(`${path}.timestamp`, document.timestamp);
  if (document.timestamp === undefined || document.timestamp === null) {
    reader.refuse(`${path}.timestamp`, "is required");
  }
  const changed = reader.timeWithOffset(`${path}.last_updated`, document.last_updated);
  const statements = reader.objects(`${path}.statements`, document.statements);
  if (statements.length === 0) reader.refuse(`${path}.statements`, "must contain a statement");
  // A document that was changed later makes its statements at that time. Unchanged statements add nothing.
  const time = Math.max(issued ?? 0, changed ?? 0);
  return statements.flatMap((statement, i) =>
    readStatement(reader, statement, { path: `${path}.statements[${i}]`, author, time }, subject),
  );
}

function readStatement(
  reader: JsonReader,
  statement: JsonObject,
  { path, author, time }: Pick<VexStatement, "path" | "author" | "time">,
  subject: JsonObject | undefined,
): VexStatement[] {
  const stated = reader.timeWithOffset(`${path}.timestamp`, statement.timestamp);
  const changed = reader.timeWithOffset(`${path}.last_updated`, statement.last_updated);
  const { vulnerability, details } = readVulnerability(
    reader,
    `${path}.vulnerability`,
    typeof statement.vulnerability === "string"
      ? { name: statement.vulnerability, description: statement.vuln_description ?? null }
      : statement.vulnerability,
  );
  const { "@id": about = "" } = vulnerability;
  const whole = {
    ...readStatus(reader, statement, path),
    author,
    path,
    time:
      stated === undefined && changed === undefined ? time : Math.max(stated ?? 0, changed ?? 0),
    vulnerability,
    references: /^https?:/.test(about) ? [{ type: webReference, url: about }] : [],
    summary: "",
    details,
    severities: [],
    between: [],
    isFinal: false,
    csaf: null,
  };
  const named = readThings(reader, `${path}.products`, statement.products);
  const products = named.length === 0 && subject ? [subject] : named;
  if (products.length === 0) {
    reader.refuse(
      `${path}.products`,
      "is required, as nothing else says what the document is about",
    );
  }
  // Before version 0.2, a statement has one list of parts for all of its products.
  const common = readThings(reader, `${path}.subcomponents`, statement.subcomponents);
  return products.flatMap((listedProduct, i): VexStatement[] => {
    const productPath = `${path}.products[${i}]`;
    const product = readComponent(reader, listedProduct, productPath);
    const own = readThings(reader, `${productPath}.subcomponents`, listedProduct.subcomponents);
    const parts = own.length === 0 ? common : own;
    if (parts.length === 0) return [{ ...whole, product, subcomponent: undefined }];
    return parts.map((part, j) => ({
      ...whole,
      product,
      subcomponent: readComponent(reader, part, `${productPath}.subcomponents[${j}]`),
    }));
  });
}

/** A list of products or parts. Before version 0.2, each is only its identifier. */
const readThings = (reader: JsonReader, path: string, value: JsonObject[string] | undefined) =>
  reader.objects(
    path,
    Array.isArray(value)
      ? value.map((item) => (typeof item === "string" ? { "@id": item } : item))
      : value,
  );

function readVulnerability(
  reader: JsonReader,
  path: string,
  value: JsonObject[string] | undefined,
): { vulnerability: StoredVulnerability; details: string } {
  const json = reader.object(path, value);
  const id = readId(reader, `${path}.@id`, json["@id"]);
  const name = reader.text(`${path}.name`, json.name);
  const details = reader.cutText(`${path}.description`, json.description, maxDescriptionLength);
  const aliases = [...new Set(reader.texts(`${path}.aliases`, json.aliases))];
  if (aliases.length > maxAliases) {
    reader.refuse(`${path}.aliases`, `must have at most ${maxAliases} items`);
  }
  const vulnerability = {
    ...(id === "" ? {} : { "@id": id }),
    name,
    ...(aliases.length === 0 ? {} : { aliases }),
  };
  return { vulnerability, details };
}

/** The status and its fields. A justification counts only for a product that is not affected. */
function readStatus(reader: JsonReader, statement: JsonObject, path: string) {
  const status = reader.choice(`${path}.status`, statement.status, vexStatuses);
  if (statement.status === undefined || statement.status === null) {
    reader.refuse(`${path}.status`, "is required");
  }
  const text = (name: string) => reader.cutText(`${path}.${name}`, statement[name], maxNoteLength);
  const justification = reader.choice(
    `${path}.justification`,
    statement.justification,
    justifications,
  );
  const [impact, action, notes] = [
    text("impact_statement"),
    text("action_statement"),
    text("status_notes"),
  ];
  reader.timeWithOffset(`${path}.action_statement_timestamp`, statement.action_statement_timestamp);
  if (status === "not_affected" && !statement.justification && impact === "") {
    reader.refuse(
      `${path}.justification`,
      "or impact_statement is required with the status not_affected",
    );
  }
  if (status === "affected" && action === "") {
    reader.refuse(`${path}.action_statement`, "is required with the status affected");
  }
  return {
    status: status ?? "under_investigation",
    justification: status === "not_affected" ? justification : undefined,
    note: truncate(
      [impact, action, notes].filter((part) => part !== "").join("\n\n"),
      maxNoteLength,
    ),
  };
}

function readComponent(reader: JsonReader, component: JsonObject, path: string): VexComponent {
  const id = readId(reader, `${path}.@id`, component["@id"]);
  const identifiersPath = `${path}.identifiers`;
  const identifiers = reader.object(identifiersPath, component.identifiers);
  const { purl, cpe22, cpe23 } = identifiers;
  // The specification names them without the @, and its JSON schema with it.
  const read = readIdentifiers(reader, identifiersPath, {
    purl: purl ?? null,
    cpe22: cpe22 ?? identifiers["@cpe22"] ?? null,
    cpe23: cpe23 ?? identifiers["@cpe23"] ?? null,
  });
  const hashes = readHashes(
    reader,
    `${path}.hashes`,
    reader.object(`${path}.hashes`, component.hashes),
  );
  const isNamed = [id, read.purl, read.cpe22, read.cpe23].some((identifier) => identifier !== "");
  if (!isNamed && Object.keys(hashes).length === 0) {
    reader.refuse(path, "must have an @id, identifiers or hashes");
  }
  if (id.startsWith("pkg:")) requirePurl(reader, `${path}.@id`, id);
  return toComponent({ ...read, id, hashes, name: "", version: "", range: "" });
}
