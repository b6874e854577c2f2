import { expect, test } from "vitest";
import { PingService } from "../../schema/gen/platform/ping/v2/ping_pb.js";
import { callRest, clientOf } from "../world/platform.ts";

test("ping returns pong without a credential, over REST and Connect", async () => {
  const { status, body } = await callRest("/ping/v2/ping");
  expect([status, body]).toEqual([200, { response: "pong" }]);
  expect((await clientOf(PingService).ping({})).response).toBe("pong");
});

test("ping ignores a credential", async () => {
  const answer = await callRest("/ping/v2/ping", { headers: { authorization: "Bearer nonsense" } });
  expect(answer.status).toBe(200);
});

test("ping does not read the database", async () => {
  const { headers } = await callRest("/ping/v2/ping");
  expect(headers.get("server-timing")).toContain("round_trips=0");
});
