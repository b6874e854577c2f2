/** The palette of the console, with its pages and the resources of the person. */
import { useLocation } from "wouter-preact";
import { useParameters } from "../data/parameters.ts";
import { useClient } from "../data/platform.tsx";
import { Palette } from "../palette/palette.tsx";
import { findResources } from "../palette/resources.ts";
import { sections } from "./sections.ts";

export default function ConsolePalette({ onClose }: { onClose: () => void }) {
  const client = useClient();
  const [, navigate] = useLocation();
  const group = useParameters().get("group");
  const pages = sections.flatMap(({ title, places }) =>
    places.map((place) => ({
      address: `/console${place.address(group)}`,
      title: place.title,
      detail: `Page: ${title}`,
    })),
  );
  const go = (address: string) => {
    onClose();
    if (address.startsWith("/console")) navigate(address.slice("/console".length) || "/");
    else location.assign(address);
  };
  return (
    <Palette
      pages={pages}
      find={(text) => findResources(client, text)}
      onGo={go}
      onClose={onClose}
    />
  );
}
