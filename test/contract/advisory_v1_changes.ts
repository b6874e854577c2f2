/** One real change by every RPC of version 1 about advisories. */
import type { JsonObject } from "@bufbuild/protobuf";
import { make, randomName } from "../world/personas.ts";
import { namedV1, type OwnChange } from "./change.ts";
import type { Stock } from "./stock.ts";

const path = "/vulnerabilities/v1/advisories";

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

export const advisoryV1Changes: Record<string, OwnChange> = {
  "vulnerabilities.v1.Advisories/Create": {
    prepare({ organization }) {
      const advisory = { ...smallestAdvisory, advisoryId: randomName("ADV") };
      return { request: { parentId: organization.uid, advisory } };
    },
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
    idle: async (stock) => ({ ...smallestAdvisory, id: await newAdvisory(stock) }),
  },
  "vulnerabilities.v1.Advisories/Delete": {
    prepare: async (stock) => namedV1(await newAdvisory(stock)),
  },
  "vulnerabilities.v1.Advisories/CreateAdvisoryEvent": {
    prepare: async (stock) => ({
      request: { parentId: await newAdvisory(stock), advisoryEvent: smallestEvent },
    }),
    group: "root",
  },
  "vulnerabilities.v1.Advisories/UpdateAdvisoryEvent": {
    prepare: async (stock) => ({
      request: { ...smallestEvent, id: await newEvent(stock, smallestEvent), status: "APPROVED" },
    }),
    group: "root",
    async conflict(stock) {
      const approved = { ...smallestEvent, status: "APPROVED" };
      return { ...approved, id: await newEvent(stock, approved), reviewer: "another" };
    },
  },
};
