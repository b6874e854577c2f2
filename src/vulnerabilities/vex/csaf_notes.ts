/**
 * Reads the data of a CSAF document about some products of a vulnerability: flags, remediations and scores.
 */
import type { JsonObject } from "@bufbuild/protobuf";
import { Severity_Type } from "../../../schema/gen/platform/vulnerabilities/v2/advisories_pb.js";
import type { StoredSeverity } from "../../../schema/tables/vulnerabilities/advisories.ts";
import { truncate } from "../../aip/well_formed.ts";
import type { JsonReader } from "../json_reader.ts";
import { type ProductTree, readProductIds } from "./csaf_products.ts";
import { justifications, maxNoteLength, type VexStatement } from "./statement.ts";

/** Each is compared with every product. */
const maxNotes = 500;

/** A flag, remediation or threat, and its products. */
export interface CsafNote {
  ids: { has(id: string): boolean };
  category: string;
  label: VexStatement["justification"];
  details: string;
  url: string;
  /** Both of them. */
  text: string;
}

/**
 * Reads a list of flags, remediations or threats. A remediation or threat without products applies to all of them,
 * and a flag to none (CSAF 2.0, section 6.1.32).
 */
export function readNotes(
  reader: JsonReader,
  vulnerability: JsonObject,
  path: string,
  list: "flags" | "remediations" | "threats",
  { products, groups }: ProductTree,
): CsafNote[] {
  const notes = reader.objects(`${path}.${list}`, vulnerability[list]);
  if (notes.length > maxNotes)
    reader.refuse(`${path}.${list}`, `must have at most ${maxNotes} items`);
  return notes.slice(0, maxNotes).map((note, i) => {
    const notePath = `${path}.${list}[${i}]`;
    const ids = readProductIds(reader, note.product_ids, `${notePath}.product_ids`, products);
    const named = reader.texts(`${notePath}.group_ids`, note.group_ids, 1000);
    for (const [j, group] of named.entries()) {
      if (!groups.has(group))
        reader.refuse(`${notePath}.group_ids[${j}]`, "must be a group of the document");
    }
    const grouped = named.flatMap((id) => groups.get(id) ?? []);
    const isForAll = list !== "flags" && ids.length === 0 && named.length === 0;
    const label = reader.choice(`${notePath}.label`, note.label, justifications);
    if (list === "flags" && !note.label) reader.refuse(`${notePath}.label`, "is required");
    const details = reader.cutText(`${notePath}.details`, note.details, maxNoteLength);
    const url = reader.cutText(`${notePath}.url`, note.url, 20_000);
    return {
      ids: isForAll ? allProducts : productsOf(ids, grouped),
      category: reader.optionalText(`${notePath}.category`, note.category),
      label,
      details,
      url,
      text: joinLines(details, url),
    };
  });
}

/** The text of a note, and its address below it. */
export const joinLines = (...parts: string[]) => parts.filter((part) => part !== "").join("\n");

/** The texts of notes on one product, as one note. */
export const joinRemedies = (texts: string[]) => truncate(texts.join("\n\n"), maxNoteLength);

const allProducts = { has: () => true };

function productsOf(ids: string[], groups: ReadonlySet<string>[]) {
  const own = new Set(ids);
  return { has: (id: string) => own.has(id) || groups.some((group) => group.has(id)) };
}

/** The CVSS vectors of the products. */
export function readProductScores(
  reader: JsonReader,
  vulnerability: JsonObject,
  path: string,
  tree: ProductTree,
) {
  return reader.objects(`${path}.scores`, vulnerability.scores).map((entry, i) => {
    const scorePath = `${path}.scores[${i}]`;
    const kinds = [
      ["cvss_v2", Severity_Type.CVSS_V2],
      ["cvss_v3", Severity_Type.CVSS_V3],
      ["cvss_v4", Severity_Type.CVSS_V4],
    ] as const;
    const severities = kinds.flatMap(([name, type]): StoredSeverity[] => {
      const score = reader.object(`${scorePath}.${name}`, entry[name]);
      if (Object.keys(score).length === 0) return [];
      return [
        { type, score: reader.text(`${scorePath}.${name}.vectorString`, score.vectorString) },
      ];
    });
    const ids = readProductIds(reader, entry.products, `${scorePath}.products`, tree.products);
    return { ids: new Set(ids), severities };
  });
}
