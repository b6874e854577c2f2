/** Every operation of version 2 by `resource.method`. */
export declare const operations: {
    readonly "securityAdvisory.listDocuments": {
        readonly rpc: "platform.advisory.v2.SecurityAdvisoryService/ListDocuments";
        readonly verb: "GET";
        readonly path: "/advisory/v2/documents";
        readonly body: "";
        readonly form: "list";
        readonly fields: readonly ["id", "cves", "pageSize", "pageToken", "orderBy", "skip"];
        readonly rows: "documents";
    };
    readonly "securityAdvisory.listVulnerabilityMetadata": {
        readonly rpc: "platform.advisory.v2.SecurityAdvisoryService/ListVulnerabilityMetadata";
        readonly verb: "GET";
        readonly path: "/advisory/v2/metadata";
        readonly body: "";
        readonly form: "list";
        readonly fields: readonly ["id", "ids", "pageSize", "pageToken", "orderBy", "skip"];
        readonly rows: "vulnerabilityMetadata";
    };
    readonly "securityAdvisory.listResolvedVulnsReports": {
        readonly rpc: "platform.advisory.v2.SecurityAdvisoryService/ListResolvedVulnsReports";
        readonly verb: "POST";
        readonly path: "/platform.advisory.v2.SecurityAdvisoryService/ListResolvedVulnsReports";
        readonly body: "*";
        readonly form: "list";
        readonly fields: readonly ["imageRefs", "startTime", "endTime", "pageSize", "pageToken", "orderBy", "skip"];
        readonly rows: "resolvedVulnsReports";
    };
    readonly "subscriptions.get": {
        readonly rpc: "platform.events.v2.SubscriptionsService/GetSubscription";
        readonly verb: "GET";
        readonly path: "/events/v2/subscriptions/{uid}";
        readonly body: "";
        readonly form: "get";
        readonly fields: readonly ["uid"];
        readonly resource: "subscription";
    };
    readonly "subscriptions.create": {
        readonly rpc: "platform.events.v2.SubscriptionsService/CreateSubscription";
        readonly verb: "POST";
        readonly path: "/events/v2/subscriptions/{parent}";
        readonly body: "subscription";
        readonly form: "create";
        readonly fields: readonly ["parent", "subscription"];
        readonly resource: "subscription";
    };
    readonly "subscriptions.list": {
        readonly rpc: "platform.events.v2.SubscriptionsService/ListSubscriptions";
        readonly verb: "GET";
        readonly path: "/events/v2/subscriptions";
        readonly body: "";
        readonly form: "list";
        readonly fields: readonly ["uidp", "pageSize", "pageToken", "orderBy", "skip"];
        readonly rows: "subscriptions";
        readonly resource: "subscription";
    };
    readonly "subscriptions.delete": {
        readonly rpc: "platform.events.v2.SubscriptionsService/DeleteSubscription";
        readonly verb: "DELETE";
        readonly path: "/events/v2/subscriptions/{uid}";
        readonly body: "";
        readonly form: "delete";
        readonly fields: readonly ["uid"];
        readonly resource: "subscription";
        readonly empty: true;
    };
    readonly "accountAssociations.get": {
        readonly rpc: "platform.iam.v2.AccountAssociationsService/GetAccountAssociation";
        readonly verb: "GET";
        readonly path: "/iam/v2/accountAssociations/{uid}";
        readonly body: "";
        readonly form: "get";
        readonly fields: readonly ["uid"];
        readonly resource: "accountAssociation";
        readonly vendorNamed: "vendor";
    };
    readonly "accountAssociations.create": {
        readonly rpc: "platform.iam.v2.AccountAssociationsService/CreateAccountAssociation";
        readonly verb: "POST";
        readonly path: "/iam/v2/accountAssociations/{parent}";
        readonly body: "accountAssociation";
        readonly form: "create";
        readonly fields: readonly ["parent", "accountAssociation"];
        readonly resource: "accountAssociation";
        readonly vendorNamed: "vendor";
    };
    readonly "accountAssociations.delete": {
        readonly rpc: "platform.iam.v2.AccountAssociationsService/DeleteAccountAssociation";
        readonly verb: "DELETE";
        readonly path: "/iam/v2/accountAssociations/{uid}";
        readonly body: "";
        readonly form: "delete";
        readonly fields: readonly ["uid"];
        readonly resource: "accountAssociation";
        readonly empty: true;
    };
    readonly "accountAssociations.list": {
        readonly rpc: "platform.iam.v2.AccountAssociationsService/ListAccountAssociations";
        readonly verb: "GET";
        readonly path: "/iam/v2/accountAssociations";
        readonly body: "";
        readonly form: "list";
        readonly fields: readonly ["uidp", "name", "pageSize", "pageToken", "orderBy", "skip"];
        readonly rows: "accountAssociations";
        readonly resource: "accountAssociation";
        readonly vendorNamed: "vendor";
    };
    readonly "accountAssociations.update": {
        readonly rpc: "platform.iam.v2.AccountAssociationsService/UpdateAccountAssociation";
        readonly verb: "PATCH";
        readonly path: "/iam/v2/accountAssociations/{accountAssociation.uid}";
        readonly body: "accountAssociation";
        readonly form: "update";
        readonly fields: readonly ["accountAssociation", "updateMask"];
        readonly resource: "accountAssociation";
        readonly vendorNamed: "vendor";
    };
    readonly "accountAssociations.checkAccountAssociation": {
        readonly rpc: "platform.iam.v2.AccountAssociationsService/CheckAccountAssociation";
        readonly verb: "POST";
        readonly path: "/iam/v2/accountAssociations/{uid}:checkAccountAssociation";
        readonly body: "*";
        readonly form: "plain";
        readonly fields: readonly ["uid", "providerType"];
    };
    readonly "externalGroupRoleMappings.get": {
        readonly rpc: "platform.iam.v2.ExternalGroupRoleMappingsService/GetExternalGroupRoleMapping";
        readonly verb: "GET";
        readonly path: "/iam/v2/externalGroupRoleMappings/{uid}";
        readonly body: "";
        readonly form: "get";
        readonly fields: readonly ["uid"];
        readonly resource: "externalGroupRoleMapping";
    };
    readonly "externalGroupRoleMappings.create": {
        readonly rpc: "platform.iam.v2.ExternalGroupRoleMappingsService/CreateExternalGroupRoleMapping";
        readonly verb: "POST";
        readonly path: "/iam/v2/externalGroupRoleMappings/{parent}";
        readonly body: "externalGroupRoleMapping";
        readonly form: "create";
        readonly fields: readonly ["parent", "externalGroupRoleMapping"];
        readonly resource: "externalGroupRoleMapping";
    };
    readonly "externalGroupRoleMappings.delete": {
        readonly rpc: "platform.iam.v2.ExternalGroupRoleMappingsService/DeleteExternalGroupRoleMapping";
        readonly verb: "DELETE";
        readonly path: "/iam/v2/externalGroupRoleMappings/{uid}";
        readonly body: "";
        readonly form: "delete";
        readonly fields: readonly ["uid"];
        readonly resource: "externalGroupRoleMapping";
        readonly empty: true;
    };
    readonly "externalGroupRoleMappings.batchDeleteExternalGroupRoleMappings": {
        readonly rpc: "platform.iam.v2.ExternalGroupRoleMappingsService/BatchDeleteExternalGroupRoleMappings";
        readonly verb: "POST";
        readonly path: "/iam/v2/externalGroupRoleMappings:batchDelete";
        readonly body: "*";
        readonly form: "plain";
        readonly fields: readonly ["parent", "names"];
    };
    readonly "externalGroupRoleMappings.list": {
        readonly rpc: "platform.iam.v2.ExternalGroupRoleMappingsService/ListExternalGroupRoleMappings";
        readonly verb: "GET";
        readonly path: "/iam/v2/externalGroupRoleMappings";
        readonly body: "";
        readonly form: "list";
        readonly fields: readonly ["uidp", "identityProviderUid", "pageSize", "pageToken", "orderBy", "skip"];
        readonly rows: "externalGroupRoleMappings";
        readonly resource: "externalGroupRoleMapping";
    };
    readonly "externalGroupRoleMappings.update": {
        readonly rpc: "platform.iam.v2.ExternalGroupRoleMappingsService/UpdateExternalGroupRoleMapping";
        readonly verb: "PATCH";
        readonly path: "/iam/v2/externalGroupRoleMappings/{externalGroupRoleMapping.uid}";
        readonly body: "externalGroupRoleMapping";
        readonly form: "update";
        readonly fields: readonly ["externalGroupRoleMapping", "updateMask"];
        readonly resource: "externalGroupRoleMapping";
    };
    readonly "groupInvites.create": {
        readonly rpc: "platform.iam.v2.GroupInvitesService/CreateGroupInvite";
        readonly verb: "POST";
        readonly path: "/iam/v2/groupInvites/{parent}";
        readonly body: "groupInvite";
        readonly form: "create";
        readonly fields: readonly ["parent", "groupInvite"];
        readonly resource: "groupInvite";
    };
    readonly "groupInvites.get": {
        readonly rpc: "platform.iam.v2.GroupInvitesService/GetGroupInvite";
        readonly verb: "GET";
        readonly path: "/iam/v2/groupInvites/{uid}";
        readonly body: "";
        readonly form: "get";
        readonly fields: readonly ["uid"];
        readonly resource: "groupInvite";
    };
    readonly "groupInvites.delete": {
        readonly rpc: "platform.iam.v2.GroupInvitesService/DeleteGroupInvite";
        readonly verb: "DELETE";
        readonly path: "/iam/v2/groupInvites/{uid}";
        readonly body: "";
        readonly form: "delete";
        readonly fields: readonly ["uid"];
        readonly resource: "groupInvite";
        readonly empty: true;
    };
    readonly "groupInvites.list": {
        readonly rpc: "platform.iam.v2.GroupInvitesService/ListGroupInvites";
        readonly verb: "GET";
        readonly path: "/iam/v2/groupInvites";
        readonly body: "";
        readonly form: "list";
        readonly fields: readonly ["uidp", "keyId", "pageSize", "pageToken", "orderBy", "skip"];
        readonly rows: "groupInvites";
        readonly resource: "groupInvite";
    };
    readonly "groupInvites.update": {
        readonly rpc: "platform.iam.v2.GroupInvitesService/UpdateGroupInvite";
        readonly verb: "PATCH";
        readonly path: "/iam/v2/groupInvites/{groupInvite.uid}";
        readonly body: "groupInvite";
        readonly form: "update";
        readonly fields: readonly ["groupInvite", "updateMask"];
        readonly resource: "groupInvite";
    };
    readonly "groupInvites.acceptGroupInvite": {
        readonly rpc: "platform.iam.v2.GroupInvitesService/AcceptGroupInvite";
        readonly verb: "POST";
        readonly path: "/iam/v2/groupInvites:accept";
        readonly body: "*";
        readonly form: "plain";
        readonly fields: readonly ["code"];
        readonly resource: "roleBinding";
    };
    readonly "groups.get": {
        readonly rpc: "platform.iam.v2.GroupsService/GetGroup";
        readonly verb: "GET";
        readonly path: "/iam/v2/groups/{uid}";
        readonly body: "";
        readonly form: "get";
        readonly fields: readonly ["uid"];
        readonly resource: "group";
    };
    readonly "groups.delete": {
        readonly rpc: "platform.iam.v2.GroupsService/DeleteGroup";
        readonly verb: "DELETE";
        readonly path: "/iam/v2/groups/{uid}";
        readonly body: "";
        readonly form: "delete";
        readonly fields: readonly ["uid"];
        readonly resource: "group";
        readonly empty: true;
    };
    readonly "groups.list": {
        readonly rpc: "platform.iam.v2.GroupsService/ListGroups";
        readonly verb: "GET";
        readonly path: "/iam/v2/groups";
        readonly body: "";
        readonly form: "list";
        readonly fields: readonly ["uidp", "name", "pageSize", "pageToken", "orderBy", "skip"];
        readonly rows: "groups";
        readonly resource: "group";
    };
    readonly "groups.create": {
        readonly rpc: "platform.iam.v2.GroupsService/CreateGroup";
        readonly verb: "POST";
        readonly path: "/iam/v2/groups/{parent}";
        readonly body: "group";
        readonly form: "create";
        readonly fields: readonly ["parent", "group"];
        readonly resource: "group";
    };
    readonly "groups.update": {
        readonly rpc: "platform.iam.v2.GroupsService/UpdateGroup";
        readonly verb: "PATCH";
        readonly path: "/iam/v2/groups/{group.uid}";
        readonly body: "group";
        readonly form: "update";
        readonly fields: readonly ["group", "updateMask"];
        readonly resource: "group";
    };
    readonly "groups.lookupGroup": {
        readonly rpc: "platform.iam.v2.GroupsService/LookupGroup";
        readonly verb: "GET";
        readonly path: "/iam/v2/groups:lookupGroup";
        readonly body: "";
        readonly form: "plain";
        readonly fields: readonly [];
    };
    readonly "groups.requestGroupAccess": {
        readonly rpc: "platform.iam.v2.GroupsService/RequestGroupAccess";
        readonly verb: "POST";
        readonly path: "/iam/v2/groups/{groupUid}:requestGroupAccess";
        readonly body: "*";
        readonly form: "plain";
        readonly fields: readonly ["groupUid"];
    };
    readonly "groups.checkEligibility": {
        readonly rpc: "platform.iam.v2.GroupsService/CheckEligibility";
        readonly verb: "GET";
        readonly path: "/iam/v2/groups:checkEligibility";
        readonly body: "";
        readonly form: "plain";
        readonly fields: readonly [];
    };
    readonly "identities.create": {
        readonly rpc: "platform.iam.v2.IdentitiesService/CreateIdentity";
        readonly verb: "POST";
        readonly path: "/iam/v2/identities/{parent}";
        readonly body: "identity";
        readonly form: "create";
        readonly fields: readonly ["parent", "identity"];
        readonly resource: "identity";
    };
    readonly "identities.get": {
        readonly rpc: "platform.iam.v2.IdentitiesService/GetIdentity";
        readonly verb: "GET";
        readonly path: "/iam/v2/identities/{uid}";
        readonly body: "";
        readonly form: "get";
        readonly fields: readonly ["uid"];
        readonly resource: "identity";
    };
    readonly "identities.delete": {
        readonly rpc: "platform.iam.v2.IdentitiesService/DeleteIdentity";
        readonly verb: "DELETE";
        readonly path: "/iam/v2/identities/{uid}";
        readonly body: "";
        readonly form: "delete";
        readonly fields: readonly ["uid"];
        readonly resource: "identity";
        readonly empty: true;
    };
    readonly "identities.update": {
        readonly rpc: "platform.iam.v2.IdentitiesService/UpdateIdentity";
        readonly verb: "PATCH";
        readonly path: "/iam/v2/identities/{identity.uid}";
        readonly body: "identity";
        readonly form: "update";
        readonly fields: readonly ["identity", "updateMask"];
        readonly resource: "identity";
    };
    readonly "identities.list": {
        readonly rpc: "platform.iam.v2.IdentitiesService/ListIdentities";
        readonly verb: "GET";
        readonly path: "/iam/v2/identities";
        readonly body: "";
        readonly form: "list";
        readonly fields: readonly ["uidp", "name", "relationshipType", "pageSize", "pageToken", "orderBy", "skip"];
        readonly rows: "identities";
        readonly resource: "identity";
    };
    readonly "identities.lookupIdentity": {
        readonly rpc: "platform.iam.v2.IdentitiesService/LookupIdentity";
        readonly verb: "GET";
        readonly path: "/iam/v2/identities:lookupIdentity";
        readonly body: "";
        readonly form: "plain";
        readonly fields: readonly ["issuer", "subject"];
    };
    readonly "identities.updateIdentityMetadata": {
        readonly rpc: "platform.iam.v2.IdentitiesService/UpdateIdentityMetadata";
        readonly verb: "PATCH";
        readonly path: "/iam/v2/identities:updateIdentityMetadata";
        readonly body: "*";
        readonly form: "plain";
        readonly fields: readonly ["identityMetadata", "updateMask"];
    };
    readonly "identityProviders.list": {
        readonly rpc: "platform.iam.v2.IdentityProvidersService/ListIdentityProviders";
        readonly verb: "GET";
        readonly path: "/iam/v2/identityProviders";
        readonly body: "";
        readonly form: "list";
        readonly fields: readonly ["uidp", "name", "pageSize", "pageToken", "orderBy", "skip"];
        readonly rows: "identityProviders";
        readonly resource: "identityProvider";
    };
    readonly "identityProviders.get": {
        readonly rpc: "platform.iam.v2.IdentityProvidersService/GetIdentityProvider";
        readonly verb: "GET";
        readonly path: "/iam/v2/identityProviders/{uid}";
        readonly body: "";
        readonly form: "get";
        readonly fields: readonly ["uid"];
        readonly resource: "identityProvider";
    };
    readonly "identityProviders.create": {
        readonly rpc: "platform.iam.v2.IdentityProvidersService/CreateIdentityProvider";
        readonly verb: "POST";
        readonly path: "/iam/v2/identityProviders/{parent}";
        readonly body: "identityProvider";
        readonly form: "create";
        readonly fields: readonly ["parent", "identityProvider"];
        readonly resource: "identityProvider";
    };
    readonly "identityProviders.update": {
        readonly rpc: "platform.iam.v2.IdentityProvidersService/UpdateIdentityProvider";
        readonly verb: "PATCH";
        readonly path: "/iam/v2/identityProviders/{identityProvider.uid}";
        readonly body: "identityProvider";
        readonly form: "update";
        readonly fields: readonly ["identityProvider", "updateMask"];
        readonly resource: "identityProvider";
    };
    readonly "identityProviders.delete": {
        readonly rpc: "platform.iam.v2.IdentityProvidersService/DeleteIdentityProvider";
        readonly verb: "DELETE";
        readonly path: "/iam/v2/identityProviders/{uid}";
        readonly body: "";
        readonly form: "delete";
        readonly fields: readonly ["uid"];
        readonly resource: "identityProvider";
        readonly empty: true;
    };
    readonly "identityProviders.generateScimToken": {
        readonly rpc: "platform.iam.v2.IdentityProvidersService/GenerateScimToken";
        readonly verb: "POST";
        readonly path: "/iam/v2/identityProviders/{identityProviderUid}:generateScimToken";
        readonly body: "*";
        readonly form: "plain";
        readonly fields: readonly ["identityProviderUid", "expireTime", "neverExpires"];
    };
    readonly "identityProviders.regenerateScimToken": {
        readonly rpc: "platform.iam.v2.IdentityProvidersService/RegenerateScimToken";
        readonly verb: "POST";
        readonly path: "/iam/v2/identityProviders/{identityProviderUid}:regenerateScimToken";
        readonly body: "*";
        readonly form: "plain";
        readonly fields: readonly ["identityProviderUid", "overlap", "expireTime", "etag", "neverExpires"];
    };
    readonly "identityProviders.revokeScimToken": {
        readonly rpc: "platform.iam.v2.IdentityProvidersService/RevokeScimToken";
        readonly verb: "POST";
        readonly path: "/iam/v2/identityProviders/{identityProviderUid}:revokeScimToken";
        readonly body: "*";
        readonly form: "plain";
        readonly fields: readonly ["identityProviderUid"];
    };
    readonly "identityProviders.setScimEnabled": {
        readonly rpc: "platform.iam.v2.IdentityProvidersService/SetScimEnabled";
        readonly verb: "POST";
        readonly path: "/iam/v2/identityProviders/{identityProviderUid}:setScimEnabled";
        readonly body: "*";
        readonly form: "plain";
        readonly fields: readonly ["identityProviderUid", "enabled", "etag"];
    };
    readonly "roleBindings.get": {
        readonly rpc: "platform.iam.v2.RoleBindingsService/GetRoleBinding";
        readonly verb: "GET";
        readonly path: "/iam/v2/roleBindings/{uid}";
        readonly body: "";
        readonly form: "get";
        readonly fields: readonly ["uid"];
        readonly resource: "roleBinding";
    };
    readonly "roleBindings.create": {
        readonly rpc: "platform.iam.v2.RoleBindingsService/CreateRoleBinding";
        readonly verb: "POST";
        readonly path: "/iam/v2/roleBindings/{parent}";
        readonly body: "roleBinding";
        readonly form: "create";
        readonly fields: readonly ["parent", "roleBinding"];
        readonly resource: "roleBinding";
    };
    readonly "roleBindings.delete": {
        readonly rpc: "platform.iam.v2.RoleBindingsService/DeleteRoleBinding";
        readonly verb: "DELETE";
        readonly path: "/iam/v2/roleBindings/{uid}";
        readonly body: "";
        readonly form: "delete";
        readonly fields: readonly ["uid"];
        readonly resource: "roleBinding";
        readonly empty: true;
    };
    readonly "roleBindings.list": {
        readonly rpc: "platform.iam.v2.RoleBindingsService/ListRoleBindings";
        readonly verb: "GET";
        readonly path: "/iam/v2/roleBindings";
        readonly body: "";
        readonly form: "list";
        readonly fields: readonly ["uidp", "identity", "group", "role", "pageSize", "pageToken", "orderBy", "skip"];
        readonly rows: "roleBindings";
        readonly resource: "roleBinding";
    };
    readonly "roleBindings.batchCreateRoleBindings": {
        readonly rpc: "platform.iam.v2.RoleBindingsService/BatchCreateRoleBindings";
        readonly verb: "POST";
        readonly path: "/iam/v2/roleBindings:batchCreate";
        readonly body: "*";
        readonly form: "plain";
        readonly fields: readonly ["parent", "requests", "roleUid"];
    };
    readonly "roleBindings.update": {
        readonly rpc: "platform.iam.v2.RoleBindingsService/UpdateRoleBinding";
        readonly verb: "PATCH";
        readonly path: "/iam/v2/roleBindings/{roleBinding.uid}";
        readonly body: "roleBinding";
        readonly form: "update";
        readonly fields: readonly ["roleBinding", "updateMask"];
        readonly resource: "roleBinding";
    };
    readonly "roles.get": {
        readonly rpc: "platform.iam.v2.RolesService/GetRole";
        readonly verb: "GET";
        readonly path: "/iam/v2/roles/{uid}";
        readonly body: "";
        readonly form: "get";
        readonly fields: readonly ["uid"];
        readonly resource: "role";
    };
    readonly "roles.list": {
        readonly rpc: "platform.iam.v2.RolesService/ListRoles";
        readonly verb: "GET";
        readonly path: "/iam/v2/roles";
        readonly body: "";
        readonly form: "list";
        readonly fields: readonly ["uidp", "name", "pageSize", "pageToken", "orderBy", "skip"];
        readonly rows: "roles";
        readonly resource: "role";
    };
    readonly "roles.create": {
        readonly rpc: "platform.iam.v2.RolesService/CreateRole";
        readonly verb: "POST";
        readonly path: "/iam/v2/roles/{parent}";
        readonly body: "role";
        readonly form: "create";
        readonly fields: readonly ["parent", "role"];
        readonly resource: "role";
    };
    readonly "roles.update": {
        readonly rpc: "platform.iam.v2.RolesService/UpdateRole";
        readonly verb: "PATCH";
        readonly path: "/iam/v2/roles/{role.uid}";
        readonly body: "role";
        readonly form: "update";
        readonly fields: readonly ["role", "updateMask"];
        readonly resource: "role";
    };
    readonly "roles.delete": {
        readonly rpc: "platform.iam.v2.RolesService/DeleteRole";
        readonly verb: "DELETE";
        readonly path: "/iam/v2/roles/{uid}";
        readonly body: "";
        readonly form: "delete";
        readonly fields: readonly ["uid"];
        readonly resource: "role";
        readonly empty: true;
    };
    readonly "terms.acceptTerms": {
        readonly rpc: "platform.iam.v2.TermsService/AcceptTerms";
        readonly verb: "POST";
        readonly path: "/iam/v2/terms/{group}";
        readonly body: "*";
        readonly form: "plain";
        readonly fields: readonly ["group", "documentIds"];
    };
    readonly "terms.listTermsAcceptances": {
        readonly rpc: "platform.iam.v2.TermsService/ListTermsAcceptances";
        readonly verb: "GET";
        readonly path: "/iam/v2/terms/{group}";
        readonly body: "";
        readonly form: "list";
        readonly fields: readonly ["group", "pageSize", "pageToken", "orderBy", "skip"];
        readonly rows: "termsAcceptances";
        readonly resource: "termsAcceptance";
    };
    readonly "artifacts.list": {
        readonly rpc: "platform.libraries.v2.ArtifactsService/ListArtifacts";
        readonly verb: "GET";
        readonly path: "/libraries/v2/artifacts";
        readonly body: "";
        readonly form: "list";
        readonly fields: readonly ["ecosystems", "query", "cudaVersion", "remediated", "pageSize", "pageToken", "skip", "orderBy"];
        readonly rows: "artifacts";
        readonly resource: "artifact";
    };
    readonly "artifacts.listArtifactVersions": {
        readonly rpc: "platform.libraries.v2.ArtifactsService/ListArtifactVersions";
        readonly verb: "GET";
        readonly path: "/libraries/v2/artifacts/{artifactId}/versions";
        readonly body: "";
        readonly form: "list";
        readonly fields: readonly ["artifactId", "pageSize", "pageToken", "skip", "orderBy"];
        readonly rows: "artifactVersions";
        readonly resource: "artifactVersion";
    };
    readonly "artifacts.getArtifactCount": {
        readonly rpc: "platform.libraries.v2.ArtifactsService/GetArtifactCount";
        readonly verb: "GET";
        readonly path: "/libraries/v2/artifacts/count";
        readonly body: "";
        readonly form: "plain";
        readonly fields: readonly ["ecosystems"];
    };
    readonly "ping.ping": {
        readonly rpc: "platform.ping.v2.PingService/Ping";
        readonly verb: "GET";
        readonly path: "/ping/v2/ping";
        readonly body: "";
        readonly form: "plain";
        readonly fields: readonly [];
    };
    readonly "images.getArchitectures": {
        readonly rpc: "platform.registry.v2.ImagesService/GetArchitectures";
        readonly verb: "GET";
        readonly path: "/registry/v2/repos/{repoUid}/digests/{digest}/architectures";
        readonly body: "";
        readonly form: "plain";
        readonly fields: readonly ["repoUid", "digest"];
    };
    readonly "images.getSize": {
        readonly rpc: "platform.registry.v2.ImagesService/GetSize";
        readonly verb: "GET";
        readonly path: "/registry/v2/repos/{repoUid}/digests/{digest}/size";
        readonly body: "";
        readonly form: "plain";
        readonly fields: readonly ["repoUid", "digest", "architecture"];
    };
    readonly "manifests.create": {
        readonly rpc: "platform.registry.v2.ManifestsService/CreateManifest";
        readonly verb: "POST";
        readonly path: "/registry/v2/manifests/{parent}";
        readonly body: "manifest";
        readonly form: "create";
        readonly fields: readonly ["parent", "manifest"];
        readonly resource: "manifest";
    };
    readonly "repos.get": {
        readonly rpc: "platform.registry.v2.ReposService/GetRepo";
        readonly verb: "GET";
        readonly path: "/registry/v2/repos/{uid}";
        readonly body: "";
        readonly form: "get";
        readonly fields: readonly ["uid"];
        readonly resource: "repo";
    };
    readonly "repos.create": {
        readonly rpc: "platform.registry.v2.ReposService/CreateRepo";
        readonly verb: "POST";
        readonly path: "/registry/v2/repos/{parent}";
        readonly body: "repo";
        readonly form: "create";
        readonly fields: readonly ["parent", "repo"];
        readonly resource: "repo";
    };
    readonly "repos.update": {
        readonly rpc: "platform.registry.v2.ReposService/UpdateRepo";
        readonly verb: "PATCH";
        readonly path: "/registry/v2/repos/{repo.uid}";
        readonly body: "repo";
        readonly form: "update";
        readonly fields: readonly ["repo", "updateMask"];
        readonly resource: "repo";
    };
    readonly "repos.delete": {
        readonly rpc: "platform.registry.v2.ReposService/DeleteRepo";
        readonly verb: "DELETE";
        readonly path: "/registry/v2/repos/{uid}";
        readonly body: "";
        readonly form: "delete";
        readonly fields: readonly ["uid"];
        readonly resource: "repo";
        readonly empty: true;
    };
    readonly "repos.list": {
        readonly rpc: "platform.registry.v2.ReposService/ListRepos";
        readonly verb: "GET";
        readonly path: "/registry/v2/repos";
        readonly body: "";
        readonly form: "list";
        readonly fields: readonly ["uidp", "name", "pageSize", "pageToken", "orderBy", "skip"];
        readonly rows: "repos";
        readonly resource: "repo";
    };
    readonly "repos.getRepoReadme": {
        readonly rpc: "platform.registry.v2.ReposService/GetRepoReadme";
        readonly verb: "GET";
        readonly path: "/registry/v2/repos/{uid}/readme";
        readonly body: "";
        readonly form: "plain";
        readonly fields: readonly ["uid"];
        readonly resource: "repoReadme";
    };
    readonly "repos.updateRepoReadme": {
        readonly rpc: "platform.registry.v2.ReposService/UpdateRepoReadme";
        readonly verb: "PATCH";
        readonly path: "/registry/v2/repos/{repoReadme.uid}/readme";
        readonly body: "repoReadme";
        readonly form: "plain";
        readonly fields: readonly ["repoReadme", "updateMask"];
        readonly resource: "repoReadme";
    };
    readonly "sboms.create": {
        readonly rpc: "platform.registry.v2.SbomsService/CreateSbom";
        readonly verb: "POST";
        readonly path: "/registry/v2/sboms/{parent}";
        readonly body: "sbom";
        readonly form: "create";
        readonly fields: readonly ["parent", "sbom"];
        readonly resource: "sbom";
    };
    readonly "tagMoves.importTagMoves": {
        readonly rpc: "platform.registry.v2.TagMovesService/ImportTagMoves";
        readonly verb: "POST";
        readonly path: "/registry/v2/tagMoves/{parent}:import";
        readonly body: "*";
        readonly form: "plain";
        readonly fields: readonly ["parent", "moves"];
    };
    readonly "tags.get": {
        readonly rpc: "platform.registry.v2.TagsService/GetTag";
        readonly verb: "GET";
        readonly path: "/registry/v2/tags/{uid}";
        readonly body: "";
        readonly form: "get";
        readonly fields: readonly ["uid"];
        readonly resource: "tag";
    };
    readonly "tags.list": {
        readonly rpc: "platform.registry.v2.TagsService/ListTags";
        readonly verb: "GET";
        readonly path: "/registry/v2/tags";
        readonly body: "";
        readonly form: "list";
        readonly fields: readonly ["uidp", "name", "updatedSince", "includeReferrers", "includeDates", "includeEpochs", "digest", "pageSize", "pageToken", "orderBy", "skip"];
        readonly rows: "tags";
        readonly resource: "tag";
    };
    readonly "tags.create": {
        readonly rpc: "platform.registry.v2.TagsService/CreateTag";
        readonly verb: "POST";
        readonly path: "/registry/v2/tags/{parent}";
        readonly body: "tag";
        readonly form: "create";
        readonly fields: readonly ["parent", "tag"];
        readonly resource: "tag";
    };
    readonly "tags.delete": {
        readonly rpc: "platform.registry.v2.TagsService/DeleteTag";
        readonly verb: "DELETE";
        readonly path: "/registry/v2/tags/{uid}";
        readonly body: "";
        readonly form: "delete";
        readonly fields: readonly ["uid"];
        readonly resource: "tag";
        readonly empty: true;
    };
    readonly "vulnReports.create": {
        readonly rpc: "platform.registry.v2.VulnReportsService/CreateVulnReport";
        readonly verb: "POST";
        readonly path: "/registry/v2/vulnReports/{parent}";
        readonly body: "vulnReport";
        readonly form: "create";
        readonly fields: readonly ["parent", "vulnReport"];
        readonly resource: "vulnReport";
    };
    readonly "advisories.get": {
        readonly rpc: "platform.vulnerabilities.v2.AdvisoriesService/GetAdvisory";
        readonly verb: "GET";
        readonly path: "/vulnerabilities/v2/advisories/{uid}";
        readonly body: "";
        readonly form: "get";
        readonly fields: readonly ["uid"];
        readonly resource: "advisory";
    };
    readonly "advisories.list": {
        readonly rpc: "platform.vulnerabilities.v2.AdvisoriesService/ListAdvisories";
        readonly verb: "GET";
        readonly path: "/vulnerabilities/v2/advisories";
        readonly body: "";
        readonly form: "list";
        readonly fields: readonly ["uidp", "advisoryIds", "legacyAdvisoryIds", "artifactNames", "artifactTypes", "artifactArchitectures", "componentNames", "componentTypes", "componentLocations", "aliases", "origin", "eventReviewStates", "eventAuthors", "excludeEventAuthors", "eventReviewers", "eventTypes", "latestEventType", "pageSize", "pageToken", "orderBy", "skip", "query"];
        readonly rows: "advisories";
        readonly resource: "advisory";
    };
    readonly "advisoryExports.exportAdvisory": {
        readonly rpc: "platform.vulnerabilities.v2.AdvisoryExportsService/ExportAdvisory";
        readonly verb: "GET";
        readonly path: "/vulnerabilities/v2/advisories/{uid}:export";
        readonly body: "";
        readonly form: "plain";
        readonly fields: readonly ["uid", "format"];
    };
    readonly "advisoryPurges.purgeAdvisories": {
        readonly rpc: "platform.vulnerabilities.v2.AdvisoryPurgesService/PurgeAdvisories";
        readonly verb: "POST";
        readonly path: "/vulnerabilities/v2/advisories/{parent}:purge";
        readonly body: "*";
        readonly form: "plain";
        readonly fields: readonly ["parent", "source", "force"];
    };
    readonly "csafDocuments.importCsafDocuments": {
        readonly rpc: "platform.vulnerabilities.v2.CsafDocumentsService/ImportCsafDocuments";
        readonly verb: "POST";
        readonly path: "/vulnerabilities/v2/csafDocuments/{parent}:import";
        readonly body: "*";
        readonly form: "plain";
        readonly fields: readonly ["parent", "documents"];
    };
    readonly "openVexDocuments.importOpenVexDocuments": {
        readonly rpc: "platform.vulnerabilities.v2.OpenVexDocumentsService/ImportOpenVexDocuments";
        readonly verb: "POST";
        readonly path: "/vulnerabilities/v2/openVexDocuments/{parent}:import";
        readonly body: "*";
        readonly form: "plain";
        readonly fields: readonly ["parent", "documents"];
    };
    readonly "osvRecords.importOsvRecords": {
        readonly rpc: "platform.vulnerabilities.v2.OsvRecordsService/ImportOsvRecords";
        readonly verb: "POST";
        readonly path: "/vulnerabilities/v2/osvRecords/{parent}:import";
        readonly body: "*";
        readonly form: "plain";
        readonly fields: readonly ["parent", "records"];
    };
};
/** The name of an operation: `repos.list`. */
export type OperationName = keyof typeof operations;
