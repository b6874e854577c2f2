/** Writes advisories as OpenVEX documents, which are valid under the JSON schema of OpenVEX 0.2. */
import type { JsonObject } from "@bufbuild/protobuf";
import { timestampMs } from "@bufbuild/protobuf/wkt";
import type { AdvisoryEvent } from "../../../schema/gen/platform/vulnerabilities/v2/advisories_pb.js";
import type { StoredComponent } from "../../../schema/tables/vulnerabilities/vex_subjects.ts";
import { atVersion, inRange, readPurl, toPurl } from "../../packages/purls.ts";
import {
  approvedEvents,
  componentPurl,
  fixedVersions,
  type KnownAdvisory,
  productPurl,
  rfc3339,
} from "../advisories/state.ts";
import { preferredId } from "../osv/vulnerability.ts";
import { justificationOf, type VexStatus } from "./statement.ts";

/** A product, and the part of it that has the vulnerability. */
export interface StatedProduct {
  product: StoredComponent;
  part: StoredComponent | undefined;
}

/** The current status of some products, in the members of OpenVEX. */
export interface CurrentStatement {
  status: VexStatus;
  products: StatedProduct[];
  vulnerability: { "@id"?: string; name: string; aliases?: string[]; description?: string };
  justification?: string;
  impact_statement?: string;
  action_statement?: string;
  status_notes?: string;
}

type StatusMembers = Omit<CurrentStatement, "products" | "vulnerability">;

/** The document of the current status. `baseUrl` is the address of the platform. */
export function toOpenVex(known: KnownAdvisory, baseUrl: string): JsonObject {
  const { advisory } = known;
  const latest = approvedEvents(advisory).at(-1);
  const updated = advisory.updateTime ? timestampMs(advisory.updateTime) : 0;
  const timestamp = rfc3339(latest?.createTime ?? advisory.createTime);
  return {
    "@context": "https://openvex.dev/ns/v0.2.0",
    "@id": `${baseUrl}/vulnerabilities/v2/advisories/${advisory.uid}?format=openvex`,
    author: latest?.author || advisory.author || "unknown",
    timestamp: new Date(updated).toISOString(),
    // Increases with every change of the advisory.
    version: Math.max(1, Math.floor(updated / 1000)),
    statements: currentStatements(known).map(({ vulnerability, products, ...members }) => ({
      vulnerability,
      timestamp,
      ...(products.length === 0 ? {} : { products: products.map(toOpenVexProduct) }),
      ...members,
    })),
  };
}

/**
 * The statements of the current status. That of a withdrawn advisory is about no product: it is void, and does not
 * say that anything is unaffected.
 */
export function currentStatements(known: KnownAdvisory): CurrentStatement[] {
  const { advisory, subject } = known;
  const vulnerability = vulnerabilityOf(known);
  if (advisory.deleteTime) {
    const status_notes = `The advisory was withdrawn at ${rfc3339(advisory.deleteTime)}.`;
    return [{ vulnerability, status: "under_investigation", status_notes, products: [] }];
  }
  const members = currentStatus(approvedEvents(advisory).at(-1));
  const product = productOf(known);
  const purl = productPurl(known);
  const versions = fixedVersions(advisory);
  const own = purl && readPurl(purl)?.version;
  // A statement about a product remains about that product.
  const isAboutProduct = subject !== undefined || !purl || versions.includes(own ?? "");
  if (members.status !== "fixed" || isAboutProduct || versions.length === 0) {
    return [{ vulnerability, ...members, products: [product] }];
  }
  // The package without a version covers every version. Only these versions are known to be fixed.
  const fixed = versions.map((version) => ({
    ...product,
    product: componentOfPurl(atVersion(purl, version)),
  }));
  const action_statement = `Update to ${versions.join(" or ")}.`;
  const affected: StatusMembers = { status: "affected", action_statement };
  return [
    { vulnerability, ...affected, products: [product] },
    { vulnerability, ...members, products: fixed },
  ];
}

const componentOfPurl = (purl: string): StoredComponent => ({ "@id": purl, identifiers: { purl } });

function vulnerabilityOf({
  advisory,
  subject,
  published,
}: KnownAdvisory): CurrentStatement["vulnerability"] {
  const others = subject ? advisory.aliases : [advisory.advisoryId, ...advisory.aliases];
  const name = subject?.vulnerability.name ?? preferredId(others);
  const aliases = [...new Set(others)].filter((alias) => alias !== name);
  const description = published?.details || published?.summary;
  const id = subject?.vulnerability["@id"];
  return {
    ...(id ? { "@id": id } : {}),
    name,
    ...(description ? { description } : {}),
    ...(aliases.length > 0 ? { aliases } : {}),
  };
}

function productOf(known: KnownAdvisory): StatedProduct {
  const { advisory, subject } = known;
  if (subject) return { product: subject.product, part: subject.subcomponent ?? undefined };
  const product = componentOfPurl(productPurl(known) ?? "");
  const { artifactName, componentName: name, componentType: type } = advisory;
  if (artifactName === name || name === "") return { product, part: undefined };
  return { product, part: componentOfPurl(toPurl({ type, name, architecture: "" })) };
}

const toOpenVexProduct = ({ product, part }: StatedProduct): JsonObject => ({
  ...toOpenVexComponent(product),
  ...(part ? { subcomponents: [toOpenVexComponent(part)] } : {}),
});

/**
 * A component with its package URL among the identifiers, if it has one. OpenVEX has no member for a version or a
 * range, so they become a part of the package URL. Without one, only its own id says what it is.
 */
function toOpenVexComponent({ version, range, ...component }: StoredComponent): JsonObject {
  const purl = componentPurl(component);
  const isNarrower = version !== undefined || range !== undefined;
  if (purl && isNarrower) {
    const exact = range === undefined ? atVersion(purl, version) : inRange(purl, range);
    return { ...component, "@id": exact, identifiers: { purl: exact } };
  }
  const { "@id": id, identifiers } = component;
  if (isNarrower) return { "@id": id ?? `urn:uuid:${crypto.randomUUID()}` };
  const named = { ...identifiers, ...(purl ? { purl } : {}) };
  return Object.keys(named).length === 0 ? { ...component } : { ...component, identifiers: named };
}

const joinTexts = (...parts: string[]) => parts.filter((part) => part !== "").join(" ");

const statusNotes = (note: string) => (note === "" ? {} : { status_notes: note });

/** The newest approved event in terms of VEX. Without one, the status is not known yet. */
function currentStatus(latest: AdvisoryEvent | undefined): StatusMembers {
  const event = latest?.type;
  const affected = (...parts: string[]): StatusMembers => ({
    status: "affected",
    action_statement: joinTexts(...parts),
  });
  switch (event?.case) {
    case "fixed":
    case "patched":
      return { status: "fixed", ...statusNotes(event.value.note) };
    case "falsePositiveDetermination": {
      const { type, note } = event.value;
      const justification = justificationOf(type);
      // The schema accepts only one of the two.
      if (justification) return { status: "not_affected", justification, ...statusNotes(note) };
      return {
        status: "not_affected",
        impact_statement: note || "The vulnerability does not affect the product.",
      };
    }
    case "truePositiveDetermination":
      return affected(event.value.note || "No action is known yet.");
    case "fixNotPlanned":
      return affected(event.value.note || "No fix is planned.");
    case "pendingUpstreamFix":
      return affected("A fix from the maintainers of the component is pending.", event.value.note);
    case "analysisNotPlanned":
      return {
        status: "under_investigation",
        ...statusNotes(joinTexts("No analysis is planned.", event.value.note)),
      };
    default:
      return { status: "under_investigation" };
  }
}
