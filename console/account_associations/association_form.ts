/** The values of the form of an account association, and what they mean for the API. */
import type { AccountAssociation, AccountAssociationInput } from "../../client/index.ts";
import type { Choice } from "../data/choices.ts";
import { shortUid } from "../data/uids.ts";

/** The state of the form. A provider that is off keeps its texts, so that switching it off by mistake loses nothing. */
export interface AssociationForm {
  name: string;
  description: string;
  amazon: { isOn: boolean; account: string };
  google: { isOn: boolean; projectId: string; projectNumber: string };
  azure: { isOn: boolean; tenantId: string; clients: AzureClient[] };
  github: { isOn: boolean; installations: Installation[] };
  vendor: { isOn: boolean; services: ServiceBinding[] };
}

/** The application that a component of the platform signs in with. */
export interface AzureClient {
  component: string;
  id: string;
}

/** An installation of a GitHub App. */
export interface Installation {
  app: string;
  id: string;
  name: string;
}

/** The identity that a service of the operator assumes. */
export interface ServiceBinding {
  service: string;
  identity: Choice | undefined;
}

/** The form of an association, or of a new one. */
export function formOf(association: AccountAssociation | null): AssociationForm {
  const { amazon, google, azure, github, vendor } = association ?? {};
  const clients = Object.entries(azure?.clientIds ?? {});
  const apps = Object.entries(github?.appInstallations ?? {});
  const services = Object.entries(vendor?.serviceBindings ?? {});
  return {
    name: association?.name ?? "",
    description: association?.description ?? "",
    amazon: { isOn: amazon !== undefined, account: amazon?.account ?? "" },
    google: {
      isOn: google !== undefined,
      projectId: google?.projectId ?? "",
      projectNumber: google?.projectNumber ?? "",
    },
    azure: {
      isOn: azure !== undefined,
      tenantId: azure?.tenantId ?? "",
      clients: clients.map(([component, id]) => ({ component, id })),
    },
    github: {
      isOn: github !== undefined,
      installations: apps.flatMap(([app, { installations = [] }]) =>
        installations.map(({ installationId: id, name = "" }) => ({ app, id, name })),
      ),
    },
    vendor: {
      isOn: vendor !== undefined,
      services: services.map(([service, uid]) => ({
        service,
        identity: { uid, name: shortUid(uid) },
      })),
    },
  };
}

/** The message of a create, or of an update with the mask `*`. */
export function inputOf(form: AssociationForm): AccountAssociationInput {
  const { amazon, google, azure, github, vendor } = form;
  return {
    name: form.name.trim(),
    description: form.description.trim(),
    ...(amazon.isOn ? { amazon: { account: amazon.account.trim() } } : {}),
    ...(google.isOn
      ? {
          google: {
            projectId: google.projectId.trim(),
            projectNumber: google.projectNumber.trim(),
          },
        }
      : {}),
    ...(azure.isOn
      ? { azure: { tenantId: azure.tenantId.trim(), clientIds: clientIdsOf(azure.clients) } }
      : {}),
    ...(github.isOn
      ? { github: { appInstallations: appInstallationsOf(github.installations) } }
      : {}),
    ...(vendor.isOn ? { vendor: { serviceBindings: serviceBindingsOf(vendor.services) } } : {}),
  };
}

const clientIdsOf = (clients: readonly AzureClient[]) =>
  Object.fromEntries(clients.map(({ component, id }) => [component.trim(), id.trim()]));

const serviceBindingsOf = (services: readonly ServiceBinding[]) =>
  Object.fromEntries(services.map(({ service, identity }) => [service, identity?.uid ?? ""]));

const appInstallationsOf = (installations: readonly Installation[]) =>
  Object.fromEntries(
    [...Map.groupBy(installations, ({ app }) => app.trim())].map(([app, ofApp]) => [
      app,
      {
        installations: ofApp.map(({ id, name }) => ({
          installationId: id.trim(),
          ...(name.trim() === "" ? {} : { name: name.trim() }),
        })),
      },
    ]),
  );
