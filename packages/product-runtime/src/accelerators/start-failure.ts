import type { AcceleratorHardware } from "./hardware.js";

const TOOLKIT_GUIDE = "https://docs.nvidia.com/datacenter/cloud-native/container-toolkit/latest/install-guide.html";

/** What to do when an engine's words about a failed start are about the accelerator; `undefined` when they are not. */
export function acceleratorAdvice(hardware: AcceleratorHardware, engineText: string): string | undefined {
  switch (hardware.kind) {
    case "none":
      return undefined;
    case "nvidia":
      if (hardware.cdi && /could not select device driver|cdi/i.test(engineText)) {
        return (
          "The engine cannot give it the GPU by CDI. That needs Docker 25 or newer with CDI on, and a specification on " +
          `the engine's host: sudo nvidia-ctk cdi generate --output=/etc/cdi/nvidia.yaml. See ${TOOLKIT_GUIDE}`
        );
      }
      if (/could not select device driver|nvidia/i.test(engineText)) {
        return (
          "The engine cannot give it an NVIDIA GPU. On the engine's host, install the NVIDIA driver and the NVIDIA " +
          "Container Toolkit, then: sudo nvidia-ctk runtime configure --runtime=docker && sudo systemctl restart " +
          `docker. See ${TOOLKIT_GUIDE}`
        );
      }
      return undefined;
    case "quadra":
      return /device/i.test(engineText)
        ? `The engine cannot give it the Quadra nodes ${hardware.cards.map(({ controller }) => controller).join(", ")}. ` +
            "Check that they exist on the engine's host."
        : undefined;
  }
}
