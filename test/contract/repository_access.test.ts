/** Every RPC for a caller whose only role is on one repository: the repository, and nothing else. */
import { Code } from "@connectrpc/connect";
import { beforeAll, describe, expect, test } from "vitest";
import { askRest, callers } from "./callers.ts";
import { comparableRefusal } from "./decisions.ts";
import {
  allCapabilities,
  type Fixtures,
  newContractCaller,
  newFixtures,
  step,
  targetUid,
} from "./fixtures.ts";
import { minimalRequest, setFieldAt } from "./requests.ts";
import { type ContractRpc, eachRpc, isList, notOverRest, rpcs } from "./rpcs.ts";

const demanding = rpcs.filter(({ open, capabilities }) => !open && capabilities.length > 0);
const placed = demanding.filter((rpc) => rpc.scope !== undefined);
const lists = demanding.filter((rpc) => isList(rpc) && rpc.scope === undefined);

const requestTo = (rpc: ContractRpc, fixtures: Fixtures) =>
  minimalRequest(rpc, rpc.scope && !isList(rpc) ? targetUid(rpc, fixtures) : "");

describe("a caller with every capability on one repository", () => {
  let ours: Fixtures;
  let token: string;
  beforeAll(async () => {
    ours = await newFixtures();
    ({ token } = await newContractCaller(ours.organization.uid, allCapabilities, ours.repo));
  });

  const isInside = (uid: string) => uid === ours.repo || uid.startsWith(`${ours.repo}/`);
  for (const [some, tier] of eachRpc(placed))
    test.for(some)(
      "can call %s in it, and nowhere else, where every uid has the same response",
      tier,
      async ([_, rpc]) => {
        const target = targetUid(rpc, ours);
        const inside = requestTo(rpc, ours);
        setFieldAt(inside, rpc.scope ?? [], `${ours.repo}/${step()}`);
        const ask = notOverRest.includes(rpc.name) ? callers.Connect : callers.REST;
        const { code } = await ask(rpc, inside, token);
        expect(Code[code]).not.toBe(Code[Code.PermissionDenied]);
        const isAnyones = rpc.name === "RolesService/GetRole";
        const places = [ours.organization.uid, ours.group, `${ours.organization.uid}/${step()}`];
        const outside = [...places, target].filter((uid) => !isInside(uid) && !isAnyones);
        const texts = new Set<string>();
        for (const uid of outside) {
          const request = requestTo(rpc, ours);
          setFieldAt(request, rpc.scope ?? [], uid);
          const { status, body } = await askRest(rpc, request, token);
          expect([uid, status]).toEqual([uid, 403]);
          texts.add(await comparableRefusal(body, uid));
        }
        expect(texts.size).toBe(isAnyones ? 0 : 1);
      },
    );

  const sayable = lists.filter(({ name }) => !notOverRest.includes(name));
  for (const [some, tier] of eachRpc(sayable))
    test.for(some)("sees no row of %s outside of it", tier, async ([_, rpc]) => {
      const hasPages = rpc.method.input.fields.some(({ name }) => name === "page_size");
      const request = { ...minimalRequest(rpc, ""), ...(hasPages && { pageSize: 200 }) };
      const { status, body } = await askRest(rpc, request, token);
      // A library of a group is not one that the caller can see.
      expect(rpc.name === "ArtifactsService/ListArtifactVersions" ? [404] : [200]).toContain(
        status,
      );
      const text = JSON.stringify(body);
      for (const uid of Object.values(ours)) {
        if (typeof uid === "string" && uid.includes("/") && !isInside(uid))
          expect(text).not.toContain(`"${uid}"`);
      }
    });
});
