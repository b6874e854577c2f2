/** Advisories as OpenVEX documents, valid by the JSON schema of OpenVEX 0.2. */
import type { JsonObject } from "@bufbuild/protobuf";
import { timestampMs } from "@bufbuild/protobuf/wkt";
import type {
  Advisory,
  AdvisoryEvent,
} from "../../../schema/gen/platform/vulnerabilities/v2/advisories_pb.js";
import type { StoredComponent } from "../../../schema/tables/vex_subjects.ts";
import {
  approved,
  fixedVersions,
  type Known,
  productPurl,
  purlIn,
  rfc3339,
} from "../advisory_state.ts";
import { knownAs } from "../osv/vulnerability.ts";
import { atVersion, purlOf, readPurl } from "../purls.ts";
import { justificationOf, type Status } from "./statement.ts";

/** The members of a statement that say how things stand. */
type Standing = { status: Status } & JsonObject;

/** The document of what holds now. `baseUrl` is where the platform answers. */
export function toOpenVex(known: Known, baseUrl: string): JsonObject {
  const { advisory } = known;
  const latest = approved(advisory).at(-1);
  const updated = advisory.updateTime ? timestampMs(advisory.updateTime) : 0;
  return {
    "@context": "https://openvex.dev/ns/v0.2.0",
    "@id": `${baseUrl}/vulnerabilities/v2/advisories/${advisory.uid}?format=openvex`,
    author: latest?.author || advisory.author || "unknown",
    timestamp: new Date(updated).toISOString(),
    // Grows with every change of the advisory.
    version: Math.max(1, Math.floor(updated / 1000)),
    statements: statementsOf(known, latest),
  };
}

function statementsOf(known: Known, latest: AdvisoryEvent | undefined): JsonObject[] {
  const vulnerability = vulnerabilityOf(known);
  const timestamp = rfc3339(latest?.createTime ?? known.advisory.createTime);
  const statement = (standing: Standing, products: JsonObject[]): JsonObject => ({
    vulnerability,
    timestamp,
    products,
    ...standing,
  });
  const standing = standingOf(known.advisory, latest);
  const product = productOf(known);
  const purl = productPurl(known);
  const versions = fixedVersions(known.advisory);
  const own = purl && readPurl(purl)?.version;
  // What a statement made of a product stays about that product.
  const isAboutProduct = known.subject !== undefined || !purl || versions.includes(own ?? "");
  if (standing.status !== "fixed" || isAboutProduct || versions.length === 0) {
    return [statement(standing, [product])];
  }
  // The package without a version is every version of it: only these are known to be free.
  const fixed = versions.map((version) => withPurl(product, atVersion(purl, version)));
  const action = `Update to ${versions.join(" or ")}.`;
  const affected: Standing = { status: "affected", action_statement: action };
  return [statement(affected, [product]), statement(standing, fixed)];
}

const withPurl = (product: JsonObject, purl: string): JsonObject => ({
  ...product,
  "@id": purl,
  identifiers: { purl },
});

function vulnerabilityOf({ advisory, subject, published }: Known): JsonObject {
  const others = subject ? advisory.aliases : [advisory.advisoryId, ...advisory.aliases];
  const name = subject?.vulnerability.name ?? knownAs(others);
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

function productOf(known: Known): JsonObject {
  const { advisory, subject } = known;
  if (subject) {
    const parts = subject.subcomponent ? [identified(subject.subcomponent)] : [];
    return {
      ...identified(subject.product),
      ...(parts.length > 0 ? { subcomponents: parts } : {}),
    };
  }
  const purl = productPurl(known) ?? "";
  const whole = { "@id": purl, identifiers: { purl } };
  const { artifactName, componentName, componentType: type } = advisory;
  if (artifactName === componentName || componentName === "") return whole;
  const part = purlOf({ type, name: componentName, architecture: "" });
  return { ...whole, subcomponents: [{ "@id": part, identifiers: { purl: part } }] };
}

/** With its package URL among the identifiers, where it has one. */
function identified(component: StoredComponent): JsonObject {
  const purl = purlIn(component);
  const identifiers = { ...component.identifiers, ...(purl ? { purl } : {}) };
  if (Object.keys(identifiers).length === 0) return { ...component } as JsonObject;
  return { ...component, identifiers } as JsonObject;
}

const words = (...parts: string[]) => parts.filter((part) => part !== "").join(" ");

const notes = (note: string): JsonObject => (note === "" ? {} : { status_notes: note });

/** The newest approved event as VEX says it; without one, nothing is known yet. */
function standingOf(advisory: Advisory, latest: AdvisoryEvent | undefined): Standing {
  const event = latest?.type;
  const affected = (...parts: string[]): Standing => ({
    status: "affected",
    action_statement: words(...parts),
  });
  if (advisory.deleteTime && event?.case !== "falsePositiveDetermination") {
    const withdrawn = `The advisory was withdrawn at ${rfc3339(advisory.deleteTime)}.`;
    return { status: "not_affected", impact_statement: withdrawn };
  }
  switch (event?.case) {
    case "fixed":
    case "patched":
      return { status: "fixed", ...notes(event.value.note) };
    case "falsePositiveDetermination": {
      const { type, note } = event.value;
      const justification = justificationOf(type);
      // The schema takes one of both only.
      if (justification) return { status: "not_affected", justification, ...notes(note) };
      return { status: "not_affected", impact_statement: note || "It does not apply." };
    }
    case "truePositiveDetermination":
      return affected(event.value.note || "No action is known yet.");
    case "fixNotPlanned":
      return affected(event.value.note || "No fix is planned.");
    case "pendingUpstreamFix":
      return affected("A fix by those who make the component is awaited.", event.value.note);
    case "analysisNotPlanned":
      return {
        status: "under_investigation",
        ...notes(words("No analysis is planned.", event.value.note)),
      };
    default:
      return { status: "under_investigation" };
  }
}
