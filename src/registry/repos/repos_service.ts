/** The service of repositories. Its handlers for readmes need the renderer, which the registry host does without. */
import { ReposService } from "../../../schema/gen/platform/registry/v2/repos_pb.js";
import { service } from "../../rpc/service.ts";
import { readmeHandlers } from "./readmes.ts";
import { repoHandlers } from "./repos.ts";

export const reposService = service(ReposService, { ...repoHandlers, ...readmeHandlers });
