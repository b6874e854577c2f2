/** One real change by every RPC of version 1 about advisories. */
import type { JsonObject } from "@bufbuild/protobuf";
import { make, randomName } from "../world/personas.ts";
import { type Change, namedV1 } from "./change.ts";
import type { Stock } from "./stock.ts";

const path = "/vulnerabilities/v1/advisories";
const message = (name: string) => `platform.vulnerabilities.v1.${name}`;

export const smallestAdvisory = { artifactName: "sample", artifactType: "apk" };
export const smallestEvent = { fixed: { fixedVersion: "1.0" } };

async function newAdvisory({ organization, token }: Stock): Promise<string> {
  const body = { parentId: organization.uid, advisory: smallestAdvisory };
  return (await make(path, token, body)).id as string;
}

/** A new event of a new advisory. */
async function newEvent(stock: Stock, event: JsonObject): Promise<string> {
  const advisory = await newAdvisory(stock);
  const body = { advisoryEvent: event };
  return (await make(`${path}/${advisory}/events`, stock.token, body)).id as string;
}

export const advisoryV1Changes: Record<string, Change> = {
  "vulnerabilities.v1.Advisories/Create": {
    prepare({ organization }) {
      const advisory = { ...smallestAdvisory, advisoryId: randomName("ADV") };
      return { request: { parentId: organization.uid, advisory } };
    },
    type: "api.vulnerabilities.advisory.created.v1",
    source: path,
    group: "parent",
    body: "answer",
    bodyType: message("Advisory"),
    async conflict({ organization, token }) {
      const advisory = { ...smallestAdvisory, advisoryId: randomName("ADV") };
      await make(path, token, { parentId: organization.uid, advisory });
      return { parentId: organization.uid, advisory };
    },
  },
  "vulnerabilities.v1.Advisories/Update": {
    prepare: async (stock) => ({
      request: { ...smallestAdvisory, id: await newAdvisory(stock), artifactName: "changed" },
    }),
    type: "api.vulnerabilities.advisory.updated.v1",
    source: path,
    group: "parent",
    body: "answer",
    bodyType: message("Advisory"),
    idle: async (stock) => ({ ...smallestAdvisory, id: await newAdvisory(stock) }),
  },
  "vulnerabilities.v1.Advisories/Delete": {
    prepare: async (stock) => namedV1(await newAdvisory(stock)),
    type: "api.vulnerabilities.advisory.deleted.v1",
    source: path,
    group: "parent",
    body: "request",
    bodyType: message("DeleteAdvisoryRequest"),
  },
  "vulnerabilities.v1.Advisories/CreateAdvisoryEvent": {
    prepare: async (stock) => ({
      request: { parentId: await newAdvisory(stock), advisoryEvent: smallestEvent },
    }),
    type: "api.vulnerabilities.advisory_event.created.v1",
    source: path,
    group: "root",
    body: "answer",
    bodyType: message("AdvisoryEvent"),
  },
  "vulnerabilities.v1.Advisories/UpdateAdvisoryEvent": {
    prepare: async (stock) => ({
      request: { ...smallestEvent, id: await newEvent(stock, smallestEvent), status: "APPROVED" },
    }),
    type: "api.vulnerabilities.advisory_event.updated.v1",
    source: "/vulnerabilities/v1/advisory_events",
    group: "root",
    body: "answer",
    bodyType: message("AdvisoryEvent"),
    async conflict(stock) {
      const approved = { ...smallestEvent, status: "APPROVED" };
      return { ...approved, id: await newEvent(stock, approved), reviewer: "another" };
    },
  },
};
