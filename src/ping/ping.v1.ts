import { PingService } from "../../schema/gen/platform/ping/ping_pb.js";
import { service } from "../rpc/service.ts";
import { callV2 } from "../rpc/version1.ts";
import { pingService } from "./ping.ts";

export const pingV1 = service(PingService, {
  async ping(_, call) {
    const { response } = await callV2(pingService, "ping", {}, call);
    return { response };
  },
});
