/** Writes advisories as OpenVEX documents, which are valid under the JSON schema of OpenVEX 0.2. */
import type { JsonObject } from "@bufbuild/protobuf";
import { timestampMs } from "@bufbuild/protobuf/wkt";
import type {
  Advisory,
  AdvisoryEvent,
} from "../../../schema/gen/platform/vulnerabilities/v2/advisories_pb.js";
import type { StoredComponent } from "../../../schema/tables/vulnerabilities/vex_subjects.ts";
import { atVersion, readPurl, toPurl } from "../../packages/purls.ts";
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

/** The members of a statement that describe the status. */
type StatusMembers = { status: VexStatus } & JsonObject;

/** The document of the current status. `baseUrl` is the address of the platform. */
export function toOpenVex(known: KnownAdvisory, baseUrl: string): JsonObject {
  const { advisory } = known;
  const latest = approvedEvents(advisory).at(-1);
  const updated = advisory.updateTime ? timestampMs(advisory.updateTime) : 0;
  return {
    "@context": "https://openvex.dev/ns/v0.2.0",
    "@id": `${baseUrl}/vulnerabilities/v2/advisories/${advisory.uid}?format=openvex`,
    author: latest?.author || advisory.author || "unknown",
    timestamp: new Date(updated).toISOString(),
    // Increases with every change of the advisory.
    version: Math.max(1, Math.floor(updated / 1000)),
    statements: statementsOf(known, latest),
  };
}

function statementsOf(known: KnownAdvisory, latest: AdvisoryEvent | undefined): JsonObject[] {
  const vulnerability = vulnerabilityOf(known);
  const timestamp = rfc3339(latest?.createTime ?? known.advisory.createTime);
  const statement = (members: StatusMembers, products: JsonObject[]): JsonObject => ({
    vulnerability,
    timestamp,
    products,
    ...members,
  });
  const members = currentStatus(known.advisory, latest);
  const product = productOf(known);
  const purl = productPurl(known);
  const versions = fixedVersions(known.advisory);
  const own = purl && readPurl(purl)?.version;
  // A statement about a product remains about that product.
  const isAboutProduct = known.subject !== undefined || !purl || versions.includes(own ?? "");
  if (members.status !== "fixed" || isAboutProduct || versions.length === 0) {
    return [statement(members, [product])];
  }
  // The package without a version covers every version. Only these versions are known to be fixed.
  const fixed = versions.map((version) => withPurl(product, atVersion(purl, version)));
  const action = `Update to ${versions.join(" or ")}.`;
  const affected: StatusMembers = { status: "affected", action_statement: action };
  return [statement(affected, [product]), statement(members, fixed)];
}

const withPurl = (product: JsonObject, purl: string): JsonObject => ({
  ...product,
  "@id": purl,
  identifiers: { purl },
});

function vulnerabilityOf({ advisory, subject, published }: KnownAdvisory): JsonObject {
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

function productOf(known: KnownAdvisory): JsonObject {
  const { advisory, subject } = known;
  if (subject) {
    const parts = subject.subcomponent ? [withPurlIdentifier(subject.subcomponent)] : [];
    return {
      ...withPurlIdentifier(subject.product),
      ...(parts.length > 0 ? { subcomponents: parts } : {}),
    };
  }
  const purl = productPurl(known) ?? "";
  const whole = { "@id": purl, identifiers: { purl } };
  const { artifactName, componentName, componentType: type } = advisory;
  if (artifactName === componentName || componentName === "") return whole;
  const part = toPurl({ type, name: componentName, architecture: "" });
  return { ...whole, subcomponents: [{ "@id": part, identifiers: { purl: part } }] };
}

/** With its package URL among the identifiers, if it has one. */
function withPurlIdentifier(component: StoredComponent): JsonObject {
  const purl = componentPurl(component);
  const identifiers = { ...component.identifiers, ...(purl ? { purl } : {}) };
  if (Object.keys(identifiers).length === 0) return { ...component } as JsonObject;
  return { ...component, identifiers } as JsonObject;
}

const joinTexts = (...parts: string[]) => parts.filter((part) => part !== "").join(" ");

const statusNotes = (note: string): JsonObject => (note === "" ? {} : { status_notes: note });

/** The newest approved event in terms of VEX. Without one, the status is not known yet. */
function currentStatus(advisory: Advisory, latest: AdvisoryEvent | undefined): StatusMembers {
  const event = latest?.type;
  const affected = (...parts: string[]): StatusMembers => ({
    status: "affected",
    action_statement: joinTexts(...parts),
  });
  if (advisory.deleteTime && event?.case !== "falsePositiveDetermination") {
    const withdrawn = `The advisory was withdrawn at ${rfc3339(advisory.deleteTime)}.`;
    return { status: "not_affected", impact_statement: withdrawn };
  }
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
