import { expect, test } from "vitest";
import { PingService } from "../../schema/gen/platform/ping/ping_pb.js";
import { callRest, clientOf } from "../world/platform.ts";

test("ping of version 1 returns the same as version 2, without a credential", async () => {
  const { status, body, headers } = await callRest("/ping/v1/ping");
  expect([status, body]).toEqual([200, { response: "pong" }]);
  expect(headers.get("server-timing")).toContain("round_trips=0");
  expect((await callRest("/ping/v2/ping")).body).toEqual(body);
  expect((await clientOf(PingService).ping({})).response).toBe("pong");
});
