"""Puts screenshots together: pictures and recordings as WebP, which Chromium itself encodes."""

import base64
import struct

from support import browser

# Draws two windows below each other with a line of text between them, and returns what differs from the
# picture before: its place, and a WebP of it. It is exact, except
# during a movement; the next picture then is exact also where the movement was.
COMPOSE = """
const [windows, caption, isDark, isMoving, done] = arguments;
const load = (data) => createImageBitmap(new Blob(
  [Uint8Array.from(atob(data), (c) => c.charCodeAt(0))], { type: 'image/png' }));
Promise.all(windows.map(load)).then((images) => {
  const [margin, bar, gap] = [12, 26, 44];
  const colors = isDark ? ['#0d0c12', '#33313f', '#eeedf4', '#4b4959'] : ['#d8d6e6', '#fbfafd', '#1d1b26', '#c3c0d4'];
  const isSingle = images.length === 1;
  const width = images[0].width + (isSingle ? 0 : 2 * margin);
  const height = isSingle ? images[0].height : 2 * (images[0].height + bar) + gap + 2 * margin;
  const canvas = new OffscreenCanvas(width + width % 2, height + height % 2);
  const context = canvas.getContext('2d', { willReadFrequently: true });
  if (isSingle) {
    context.drawImage(images[0], 0, 0);
  } else {
    context.fillStyle = colors[0];
    context.fillRect(0, 0, canvas.width, canvas.height);
    images.forEach((image, index) => {
      const top = margin + index * (image.height + bar + gap);
      context.save();
      context.beginPath();
      context.roundRect(margin, top, image.width, image.height + bar, 10);
      context.clip();
      context.fillStyle = colors[1];
      context.fillRect(margin, top, image.width, bar);
      context.fillStyle = colors[3];
      for (const dot of [0, 1, 2]) {
        context.beginPath();
        context.arc(margin + 18 + dot * 18, top + bar / 2, 5, 0, 7);
        context.fill();
      }
      context.drawImage(image, margin, top + bar);
      context.restore();
    });
    context.fillStyle = colors[2];
    context.font = '600 17px system-ui, "DejaVu Sans", sans-serif';
    if (caption.startsWith('$')) context.font = '15px "DejaVu Sans Mono", monospace';
    context.textAlign = 'center';
    context.textBaseline = 'middle';
    context.fillText(caption, canvas.width / 2, margin + images[0].height + bar + gap / 2);
  }
  const now = context.getImageData(0, 0, canvas.width, canvas.height);
  const shown = new Uint32Array(now.data.buffer);
  const pixels = shown.slice();
  const before = window.before;
  window.before = pixels;
  if (!before) window.touched = new Uint8Array(pixels.length);
  const touched = window.touched;
  const isChanged = (i) => !before || before[i] !== pixels[i] || (!isMoving && touched[i]);
  let [left, top, right, bottom] = [canvas.width, canvas.height, 0, 0];
  for (let y = 0, i = 0; y < canvas.height; y++) {
    for (let x = 0; x < canvas.width; x++, i++) {
      if (!isChanged(i)) continue;
      left = Math.min(left, x); right = Math.max(right, x + 1);
      top = Math.min(top, y); bottom = Math.max(bottom, y + 1);
    }
  }
  if (right === 0) return done(null);
  // What did not change is transparent, which takes nearly no bytes.
  for (let i = 0; i < pixels.length; i++) {
    if (!isChanged(i)) shown[i] = 0;
    else if (isMoving) touched[i] = 1;
  }
  if (!isMoving) touched.fill(0);
  // The format has even places.
  left -= left % 2; top -= top % 2;
  const part = new OffscreenCanvas(right - left, bottom - top);
  part.getContext('2d').putImageData(now, -left, -top);
  part.convertToBlob({ type: 'image/webp', quality: isMoving ? 0.6 : 1 }).then((blob) => blob.arrayBuffer()).then((buffer) => {
    let text = '';
    for (const byte of new Uint8Array(buffer)) text += String.fromCharCode(byte);
    done({ left, top, width: right - left, height: bottom - top, data: btoa(text),
           canvas: [canvas.width, canvas.height] });
  });
});
"""


class Studio:
    def __init__(self):
        self.driver = browser()
        self.driver.get("about:blank")
        self.driver.set_script_timeout(120)
        self.frames = []

    def compose(self, windows, caption="", dark=False, moving=False):
        return self.driver.execute_async_script(COMPOSE, windows, caption, dark, moving)

    def picture(self, window):
        """A screenshot as a file."""
        self.driver.execute_script("window.before = null")
        return base64.b64decode(self.compose([window])["data"])

    def add(self, windows, caption, milliseconds, dark, moving):
        """Adds a frame, or time to the last one if nothing changed."""
        frame = self.compose(windows, caption, dark, moving)
        if frame is None:
            self.frames[-1]["duration"] += milliseconds
        else:
            self.frames.append({**frame, "duration": milliseconds})

    def recording(self):
        """The frames as an animated WebP, which repeats for ever."""
        def number(value):
            return struct.pack("<I", value)[:3]

        def chunk(name, data):
            return name + struct.pack("<I", len(data)) + data + b"\0" * (len(data) % 2)

        width, height = self.frames[0]["canvas"]
        body = chunk(b"VP8X", b"\x12\0\0\0" + number(width - 1) + number(height - 1))
        body += chunk(b"ANIM", b"\0\0\0\0" + struct.pack("<H", 0))
        for frame in self.frames:
            data = (
                number(frame["left"] // 2) + number(frame["top"] // 2) + number(frame["width"] - 1)
                + number(frame["height"] - 1) + number(max(20, round(frame["duration"]))) + b"\0")
            file = base64.b64decode(frame["data"])
            place = 12
            while place < len(file):
                name, size = file[place:place + 4], struct.unpack("<I", file[place + 4:place + 8])[0]
                if name in (b"VP8 ", b"VP8L", b"ALPH"):
                    data += chunk(name, file[place + 8:place + 8 + size])
                place += 8 + size + size % 2
            body += chunk(b"ANMF", data)
        return b"RIFF" + struct.pack("<I", len(body) + 4) + b"WEBP" + body

    def close(self):
        self.driver.quit()
