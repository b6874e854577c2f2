import { type IRequest, Router } from "itty-router";
import type { Env } from "../config.ts";
import { serve, type Worker } from "../rpc/serve.ts";
import { accountAssociationsService } from "./account_associations.ts";
import { externalGroupRoleMappingsService } from "./external_group_role_mappings.ts";
import { groupInvitesService } from "./group_invites.ts";
import { groupsService } from "./groups.ts";
import { groupsV1 } from "./groups.v1.ts";
import { identitiesService } from "./identities.ts";
import { identityProvidersService } from "./identity_providers.ts";
import { roleBindingsService } from "./role_bindings.ts";
import { rolesService } from "./roles.ts";
import { scimRouter } from "./scim/router.ts";
import { termsService } from "./terms.ts";

export const services = [
  groupsService,
  identitiesService,
  rolesService,
  roleBindingsService,
  identityProvidersService,
  accountAssociationsService,
  groupInvitesService,
  externalGroupRoleMappingsService,
  termsService,
  groupsV1,
];

const rpcs = serve(services);

const router = Router<IRequest & Request, [Env], Response>();
router.all("/scim/*", (request, env) => scimRouter.fetch(request, env));
router.all("*", (request, env) => rpcs.fetch(request, env));

export default { fetch: (request, env) => router.fetch(request as never, env) } satisfies Worker;
