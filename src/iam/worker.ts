import { type IRequest, Router } from "itty-router";
import type { Env } from "../config.ts";
import type { Execution, Worker } from "../rpc/runtime.ts";
import { serve } from "../rpc/serve.ts";
import { workerRun } from "../rpc/traced_execution.ts";
import { workerFetch } from "../rpc/worker_fetch.ts";
import { accessService } from "./access/access.ts";
import { accountAssociationsService } from "./account_associations/account_associations.ts";
import { groupAccountAssociationsV1 } from "./account_associations/account_associations.v1.ts";
import { groupInvitesService } from "./group_invites/group_invites.ts";
import { groupInvitesV1 } from "./group_invites/group_invites.v1.ts";
import { groupsService } from "./groups/groups.ts";
import { groupsV1 } from "./groups/groups.v1.ts";
import { identitiesService } from "./identities/identities.ts";
import { identitiesV1 } from "./identities/identities.v1.ts";
import { identityMetadataV1 } from "./identities/identity_metadata.v1.ts";
import { externalGroupRoleMappingsService } from "./identity_providers/external_group_role_mappings.ts";
import { externalGroupRoleMappingsV1 } from "./identity_providers/external_group_role_mappings.v1.ts";
import { identityProvidersService } from "./identity_providers/identity_providers.ts";
import { identityProvidersV1 } from "./identity_providers/identity_providers.v1.ts";
import { keysService } from "./keys/keys.ts";
import { leakedKeysPath, revokeLeakedKeys } from "./keys/leaked_keys.ts";
import { quotasService } from "./quotas/quotas.ts";
import { roleBindingsService } from "./role_bindings/role_bindings.ts";
import { roleBindingsV1 } from "./role_bindings/role_bindings.v1.ts";
import { rolesService } from "./roles/roles.ts";
import { rolesV1 } from "./roles/roles.v1.ts";
import { runSchedule } from "./schedule.ts";
import { scimRouter } from "./scim/router.ts";
import { sessionsService } from "./sessions/sessions.ts";
import { termsService } from "./terms/terms.ts";
import { termsV1 } from "./terms/terms.v1.ts";
import { tokenDiagnosisService } from "./token_diagnosis/token_diagnosis.ts";

export const services = [
  keysService,
  groupsService,
  identitiesService,
  rolesService,
  roleBindingsService,
  identityProvidersService,
  accountAssociationsService,
  groupInvitesService,
  externalGroupRoleMappingsService,
  sessionsService,
  termsService,
  tokenDiagnosisService,
  accessService,
  quotasService,
  groupsV1,
  identitiesV1,
  identityProvidersV1,
  groupAccountAssociationsV1,
  externalGroupRoleMappingsV1,
  identityMetadataV1,
  rolesV1,
  roleBindingsV1,
  groupInvitesV1,
  termsV1,
];

const rpcs = serve(services);

const router = Router<IRequest & Request, [Env, Execution], Response>();
router.all("/scim/*", (request, env, execution) => scimRouter.fetch(request, env, execution));
router.all(leakedKeysPath, revokeLeakedKeys);
router.all("*", (request, env, execution) => rpcs.fetch(request, env, execution));

// The router adds the parameters and the query to the request, but the type Request has no members for them.
export default {
  fetch: workerFetch("iam", (request, env: Env, execution: Execution) =>
    router.fetch(request as never, env, execution),
  ),
  scheduled: workerRun("iam", "schedule", (_, env, execution) => runSchedule(env, execution)),
} satisfies Worker;
