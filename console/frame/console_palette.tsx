/** The palette of the console, with its pages and the resources of the person. */
import { useQueryClient } from "@tanstack/preact-query";
import { useEffect } from "preact/hooks";
import { useLocation } from "wouter-preact";
import { useCurrentGroup } from "../data/group.ts";
import { useMay } from "../data/may.ts";
import { useClient } from "../data/platform.tsx";
import { rootOf } from "../data/uids.ts";
import { Palette } from "../palette/palette.tsx";
import { findResources, type ReadOnce, readDirectory } from "../palette/resources.ts";
import { creations, sections } from "./sections.ts";

/** How long the lists of a search are kept, in milliseconds. */
const staleTime = 60_000;

export default function ConsolePalette({ onClose }: { onClose: () => void }) {
  const client = useClient();
  const queries = useQueryClient();
  const [, navigate] = useLocation();
  const { uid: group } = useCurrentGroup();
  const { may } = useMay(group);
  const once: ReadOnce = (key, queryFn) =>
    queries.fetchQuery({ queryKey: [...key, "search"], queryFn, staleTime });
  const place = { client, organization: rootOf(group), once };
  useEffect(() => {
    if (group !== "") void readDirectory(place);
  }, [group]);
  const pages = sections.flatMap(({ title, places }) =>
    places.map((page) => ({
      address: `/console${page.address(group)}`,
      title: page.title,
      detail: `Page: ${title}`,
    })),
  );
  const offered = creations.filter(({ capability }) => may(capability) === true);
  const actions = offered.map(({ title, address }) => ({
    address: `/console${address(group)}`,
    title,
    detail: "Action",
  }));
  const go = (address: string) => {
    onClose();
    if (address.startsWith("/console")) navigate(address.slice("/console".length) || "/");
    else location.assign(address);
  };
  return (
    <Palette
      pages={[...pages, ...actions]}
      find={(text) => findResources(place, text)}
      onGo={go}
      onClose={onClose}
    />
  );
}
