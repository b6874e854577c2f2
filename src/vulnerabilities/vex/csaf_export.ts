/** Writes advisories as CSAF 2.0 documents of the profile VEX (CSAF 2.0, section 4.5). */
import type { JsonObject } from "@bufbuild/protobuf";
import type { AdvisoryEvent } from "../../../schema/gen/platform/vulnerabilities/v2/advisories_pb.js";
import type {
  StoredComponent,
  StoredCsaf,
} from "../../../schema/tables/vulnerabilities/vex_subjects.ts";
import { atVersion, readPurl } from "../../packages/purls.ts";
import {
  approvedEvents,
  componentPurl,
  fixedVersions,
  type KnownAdvisory,
  rfc3339,
} from "../advisories/state.ts";
import { csafStatusOf } from "./csaf.ts";
import { joinLines, joinRemedies } from "./csaf_notes.ts";
import { toCsafHashes } from "./csaf_products.ts";
import { type CurrentStatement, currentStatements, type StatedProduct } from "./openvex_export.ts";
import type { VexStatus } from "./statement.ts";

const listOf: Record<VexStatus, string> = {
  affected: "known_affected",
  fixed: "fixed",
  not_affected: "known_not_affected",
  under_investigation: "under_investigation",
};

/**
 * The document of the current status. `baseUrl` is the address of the platform. A withdrawn advisory becomes a
 * document of the base profile, which has no products and no status.
 */
export function toCsaf(known: KnownAdvisory, baseUrl: string): JsonObject {
  const { advisory } = known;
  const statements = currentStatements(known);
  const latest = approvedEvents(advisory).at(-1);
  const revisions = revisionsOf(known);
  const [first, last] = [revisions[0], revisions.at(-1)];
  const name = statements[0]?.vulnerability.name ?? advisory.advisoryId;
  const author = latest?.author || advisory.author || "unknown";
  const document = {
    csaf_version: "2.0",
    lang: "en",
    title: `${name} in ${advisory.artifactName || "a product"}`,
    publisher: { category: "vendor", name: author, namespace: baseUrl },
    tracking: {
      id: advisory.advisoryId || advisory.uid,
      status: "final",
      version: last?.number ?? "1",
      initial_release_date: first?.date ?? rfc3339(advisory.createTime),
      current_release_date: last?.date ?? rfc3339(advisory.createTime),
      revision_history: revisions,
    },
  };
  if (advisory.deleteTime) {
    const notes = statements.map(({ status_notes: text = "" }) => ({ category: "general", text }));
    return { document: { ...document, category: "csaf_base", notes } };
  }
  const tree = newProductTree();
  const productStatements = statements.map((statement) => ({
    statement,
    ids: statement.products.map((product) => tree.idOf(product)),
  }));
  return {
    document: { ...document, category: "csaf_vex" },
    product_tree: tree.json(),
    vulnerabilities: [vulnerabilityOf(known, productStatements, latest)],
  };
}

const revisionTexts: Partial<Record<NonNullable<AdvisoryEvent["type"]["case"]>, string>> = {
  detection: "The vulnerability was detected.",
  fixed: "A version without the vulnerability was released.",
  patched: "A version with a patch was released.",
  falsePositiveDetermination: "The vulnerability does not affect the product.",
  truePositiveDetermination: "The vulnerability affects the product.",
  fixNotPlanned: "No fix is planned.",
  pendingUpstreamFix: "A fix from the maintainers of the component is pending.",
  analysisNotPlanned: "No analysis is planned.",
};

/** A revision for each approved event, the oldest first. They are numbered from 1 without a gap. */
function revisionsOf({ advisory }: KnownAdvisory) {
  const events = approvedEvents(advisory).map(({ type, createTime }) => ({
    date: rfc3339(createTime),
    summary: (type.case && revisionTexts[type.case]) ?? "The advisory changed.",
  }));
  const withdrawn = advisory.deleteTime
    ? [{ date: rfc3339(advisory.deleteTime), summary: "The advisory was withdrawn." }]
    : [];
  const created = { date: rfc3339(advisory.createTime), summary: "The advisory was created." };
  const all = [...events, ...withdrawn].sort((a, b) => (a.date < b.date ? -1 : 1));
  return (all.length > 0 ? all : [created]).map((revision, index) => ({
    ...revision,
    number: String(index + 1),
  }));
}

/** The products of a document, each with one id. */
function newProductTree() {
  const names: JsonObject[] = [];
  const branches: JsonObject[] = [];
  const relationships: JsonObject[] = [];
  const known = new Map<string, string>();
  const add = (key: string, write: (id: string) => void): string => {
    const knownId = known.get(key);
    if (knownId !== undefined) return knownId;
    const id = `CSAFPID-${String(known.size + 1).padStart(4, "0")}`;
    known.set(key, id);
    write(id);
    return id;
  };
  const componentId = (component: StoredComponent): string =>
    add(JSON.stringify(component), (id) => {
      const product = { ...fullName(component), product_id: id };
      const branch = versionBranch(component, product);
      if (branch) branches.push(branch);
      else names.push(product);
    });
  return {
    /** The id of a product, or of its part. */
    idOf({ product: whole, part }: StatedProduct): string {
      const outer = componentId(whole);
      if (!part) return outer;
      const inner = componentId(part);
      return add(`${inner} in ${outer}`, (id) =>
        relationships.push({
          category: "default_component_of",
          product_reference: inner,
          relates_to_product_reference: outer,
          full_product_name: { name: `${nameOf(part)} in ${nameOf(whole)}`, product_id: id },
        }),
      );
    },
    json: (): JsonObject => ({
      ...(branches.length > 0 ? { branches } : {}),
      ...(names.length > 0 ? { full_product_names: names } : {}),
      ...(relationships.length > 0 ? { relationships } : {}),
    }),
  };
}

const nameOf = ({ "@id": id, identifiers = {}, hashes = {} }: StoredComponent): string =>
  identifiers.purl ||
  id ||
  identifiers["@cpe23"] ||
  identifiers["@cpe22"] ||
  Object.values(hashes)[0] ||
  "unknown";

/** The range of versions of a component, which its package URL can contain. */
const rangeOf = (component: StoredComponent): string | undefined =>
  component.range ?? readPurl(componentPurl(component) ?? "")?.qualifiers.vers;

/** The branch of a product whose package URL does not contain its version or its range of versions. */
function versionBranch(component: StoredComponent, product: JsonObject): JsonObject | undefined {
  const { version } = component;
  const range = rangeOf(component);
  const name = range ?? version;
  if (name === undefined) return undefined;
  const category = range === undefined ? "product_version" : "product_version_range";
  const branch = { category, name, product };
  return { category: "product_name", name: nameOf(component), branches: [branch] };
}

function fullName(component: StoredComponent): JsonObject {
  const { hashes = {} } = component;
  const purl = componentPurl(component);
  const identifiers = {
    ...component.identifiers,
    ...(purl ? { purl: rangeOf(component) === undefined ? purl : atVersion(purl, undefined) } : {}),
  };
  const cpe = identifiers["@cpe23"] || identifiers["@cpe22"];
  const files = toCsafHashes(hashes);
  const helper = {
    ...(identifiers.purl ? { purl: identifiers.purl } : {}),
    ...(cpe ? { cpe } : {}),
    ...(files.length > 0 ? { hashes: [{ filename: nameOf(component), file_hashes: files }] } : {}),
  };
  const isIdentified = Object.keys(helper).length > 0;
  return {
    name: nameOf(component),
    ...(isIdentified ? { product_identification_helper: helper } : {}),
  };
}

/** A statement, and the ids of its products. */
interface ProductStatement {
  statement: CurrentStatement;
  ids: string[];
}

function vulnerabilityOf(
  known: KnownAdvisory,
  productStatements: ProductStatement[],
  latest: AdvisoryEvent | undefined,
): JsonObject {
  const {
    name = "",
    aliases = [],
    description,
  } = productStatements[0]?.statement.vulnerability ?? {};
  const isCve = /^CVE-\d{4}-\d{4,}$/.test(name);
  const others = isCve ? aliases : [name, ...aliases];
  const text = description ?? `The platform has no description of ${name}.`;
  const category = description === undefined ? "general" : "description";
  const flags = productStatements.flatMap(({ statement: { justification }, ids }) =>
    justification ? [{ label: justification, product_ids: ids }] : [],
  );
  const threats = productStatements.flatMap(({ statement, ids }) => {
    if (statement.status !== "not_affected") return [];
    const details = statement.impact_statement ?? statement.status_notes;
    return details ? [{ category: "impact", details, product_ids: ids }] : [];
  });
  const remediations = productStatements.flatMap((productStatement) =>
    remediationOf(known, productStatement, latest),
  );
  return {
    ...(isCve ? { cve: name } : {}),
    ...(others.length > 0
      ? { ids: others.map((id) => ({ system_name: systemOf(id), text: id })) }
      : {}),
    notes: [{ category, text }],
    product_status: Object.fromEntries(
      productStatements.map(({ statement, ids }) => [
        saidInCsaf(known, statement, latest)?.list ?? listOf[statement.status],
        ids,
      ]),
    ),
    ...(flags.length > 0 ? { flags } : {}),
    ...(threats.length > 0 ? { threats } : {}),
    ...(remediations.length > 0 ? { remediations } : {}),
  };
}

/** The source of an id: `GHSA` of `GHSA-jfh8-c2jp-5v3q`. */
const systemOf = (id: string) => id.split("-")[0] || id;

/** The data of the newest statement in CSAF, if the advisory still says the same. */
function saidInCsaf(
  { subject }: KnownAdvisory,
  { status }: CurrentStatement,
  latest: AdvisoryEvent | undefined,
): StoredCsaf | undefined {
  const csaf = subject?.csaf;
  if (!csaf || csafStatusOf.get(csaf.list) !== status) return undefined;
  const { value } = latest?.type ?? {};
  const note = value && "note" in value ? value.note : "";
  const texts = csaf.remediations.map(({ details, url }) => joinLines(details, url ?? ""));
  const isNoted = status === "affected" || status === "fixed";
  return isNoted && note !== joinRemedies(texts) ? undefined : csaf;
}

function remediationOf(
  known: KnownAdvisory,
  { statement, ids }: ProductStatement,
  latest: AdvisoryEvent | undefined,
): JsonObject[] {
  const { status, action_statement: action, status_notes: notes } = statement;
  const said = saidInCsaf(known, statement, latest);
  if (said) return said.remediations.map((remediation) => ({ ...remediation, product_ids: ids }));
  if (status === "fixed")
    return notes ? [{ category: "vendor_fix", details: notes, product_ids: ids }] : [];
  if (status !== "affected" || !action) return [];
  const category = remedyOf(latest, fixedVersions(known.advisory));
  return [{ category, details: action, product_ids: ids }];
}

function remedyOf(latest: AdvisoryEvent | undefined, fixed: string[]): string {
  const event = latest?.type;
  if (event?.case === "fixNotPlanned") return "no_fix_planned";
  if (event?.case === "truePositiveDetermination")
    return event.value.note === "" ? "none_available" : "mitigation";
  return fixed.length > 0 ? "vendor_fix" : "none_available";
}
