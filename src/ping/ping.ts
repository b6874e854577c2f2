import { PingService } from "../../schema/gen/platform/ping/v2/ping_pb.js";
import { service } from "../rpc/service.ts";

export const pingService = service(PingService, {
  async ping() {
    return { response: "pong" };
  },
});
