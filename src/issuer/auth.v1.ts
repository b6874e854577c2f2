import { Auth } from "../../schema/gen/platform/auth/auth_pb.js";
import { service } from "../rpc/service.ts";
import { getHeadlessSession } from "./login/headless.ts";
import { deletePerson } from "./person_deletion.v1.ts";
import { register } from "./registration.v1.ts";
import { validateToken } from "./who_am_i.v1.ts";

export const authV1 = service(
  Auth,
  { validate: validateToken, register, getHeadlessSession, delete: deletePerson },
  [],
  ["register"],
);
