/** One real change for every RPC of version 1 about advisories. */
import type { JsonObject } from "@bufbuild/protobuf";
import { createResource, randomName } from "../../world/personas.ts";
import type { Fixtures } from "../fixtures.ts";
import { smallestAdvisory, smallestEvent } from "../v1_requests.ts";
import { deleteOfV1, type OwnChange } from "./change.ts";

const path = "/vulnerabilities/v1/advisories";

async function newAdvisory({ organization, token }: Fixtures): Promise<string> {
  const body = { parentId: organization.uid, advisory: smallestAdvisory };
  return (await createResource(path, token, body)).id as string;
}

/** A new event of a new advisory. */
async function newEvent(fixtures: Fixtures, event: JsonObject): Promise<string> {
  const advisory = await newAdvisory(fixtures);
  const body = { advisoryEvent: event };
  return (await createResource(`${path}/${advisory}/events`, fixtures.token, body)).id as string;
}

export const advisoryV1Changes: Record<string, OwnChange> = {
  "vulnerabilities.v1.Advisories/Create": {
    prepare({ organization }) {
      const advisory = { ...smallestAdvisory, advisoryId: randomName("ADV") };
      return { request: { parentId: organization.uid, advisory } };
    },
    async conflict({ organization, token }) {
      const advisory = { ...smallestAdvisory, advisoryId: randomName("ADV") };
      await createResource(path, token, { parentId: organization.uid, advisory });
      return { parentId: organization.uid, advisory };
    },
  },
  "vulnerabilities.v1.Advisories/Update": {
    prepare: async (fixtures) => ({
      request: { ...smallestAdvisory, id: await newAdvisory(fixtures), artifactName: "changed" },
    }),
    idle: async (fixtures) => ({ ...smallestAdvisory, id: await newAdvisory(fixtures) }),
  },
  "vulnerabilities.v1.Advisories/Delete": {
    prepare: async (fixtures) => deleteOfV1(await newAdvisory(fixtures)),
  },
  "vulnerabilities.v1.Advisories/CreateAdvisoryEvent": {
    prepare: async (fixtures) => ({
      request: { parentId: await newAdvisory(fixtures), advisoryEvent: smallestEvent },
    }),
    group: "root",
  },
  "vulnerabilities.v1.Advisories/UpdateAdvisoryEvent": {
    prepare: async (fixtures) => ({
      request: {
        ...smallestEvent,
        id: await newEvent(fixtures, smallestEvent),
        status: "APPROVED",
      },
    }),
    group: "root",
    async conflict(fixtures) {
      const approved = { ...smallestEvent, status: "APPROVED" };
      return { ...approved, id: await newEvent(fixtures, approved), reviewer: "another" };
    },
  },
};
