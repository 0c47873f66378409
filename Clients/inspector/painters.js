// SPDX-License-Identifier: Apache-2.0
// Draws scenes: with WebGL 2, all boxes at once, or on a canvas where there is no WebGL 2.

import { product, scaling, translation } from "./camera.js";
import { BOX } from "./scene.js";

const VERTEX = `#version 300 es
layout(location = 0) in vec4 box;
layout(location = 1) in vec4 look;
layout(location = 2) in vec4 color;
layout(location = 3) in mat4 matrix;
uniform mat4 view;
uniform float lift;
out vec2 local;
flat out vec4 shape;
flat out vec4 paint;
void main() {
  vec2 corner = vec2(gl_VertexID & 1, gl_VertexID >> 1) - 0.5;
  local = corner * box.zw;
  shape = vec4(box.zw / 2.0, look.z, color.a);
  paint = vec4(color.rgb, look.y);
  vec4 place = matrix * vec4(local, 0.0, 1.0);
  place.xy += box.xy * place.w;
  place.z += look.x * lift * place.w;
  gl_Position = view * place;
}`;

const FRAGMENT = `#version 300 es
precision highp float;
in vec2 local;
flat in vec4 shape;
flat in vec4 paint;
out vec4 result;
void main() {
  vec2 beyond = abs(local) - shape.xy + shape.z;
  float distance = length(max(beyond, 0.0)) + min(max(beyond.x, beyond.y), 0.0) - shape.z;
  float pixel = max(fwidth(distance), 0.0001);
  float inside = 1.0 - smoothstep(-pixel, 0.0, distance);
  float edge = shape.w * smoothstep(-2.0 * pixel, -pixel, distance);
  float sheen = 0.06 * shape.w * (0.5 - local.y / max(shape.y * 2.0, 1.0));
  vec3 rgb = mix(paint.rgb + sheen, paint.rgb * 0.72, edge * 0.8);
  float alpha = paint.a * inside;
  result = vec4(rgb * alpha, alpha);
}`;

/** A painter for a canvas. */
export function makePainter(canvas) {
  const context = canvas.getContext("webgl2", { antialias: true, alpha: true, premultipliedAlpha: true });
  return context ? new WebGLPainter(canvas, context) : new CanvasPainter(canvas);
}

class WebGLPainter {
  kind = "WebGL 2";
  #context;
  #canvas;

  constructor(canvas, context) {
    this.#canvas = canvas;
    this.#context = context;
    // Without this the picture would stay black for good.
    canvas.addEventListener("webglcontextlost", (event) => event.preventDefault());
    canvas.addEventListener("webglcontextrestored", () => this.#prepare());
    this.#prepare();
  }

  #prepare() {
    const gl = this.#context;
    const program = gl.createProgram();
    for (const [type, source] of [[gl.VERTEX_SHADER, VERTEX], [gl.FRAGMENT_SHADER, FRAGMENT]]) {
      const shader = gl.createShader(type);
      gl.shaderSource(shader, source);
      gl.compileShader(shader);
      gl.attachShader(program, shader);
    }
    gl.linkProgram(program);
    gl.useProgram(program);
    this.view = gl.getUniformLocation(program, "view");
    this.lift = gl.getUniformLocation(program, "lift");
    this.boxes = gl.createBuffer();
    this.matrices = gl.createBuffer();
    gl.enable(gl.BLEND);
    gl.blendFunc(gl.ONE, gl.ONE_MINUS_SRC_ALPHA);
    gl.bindBuffer(gl.ARRAY_BUFFER, this.boxes);
    for (let location = 0; location < 3; location += 1) {
      gl.enableVertexAttribArray(location);
      gl.vertexAttribPointer(location, 4, gl.FLOAT, false, BOX * 4, location * 16);
      gl.vertexAttribDivisor(location, 1);
    }
    gl.bindBuffer(gl.ARRAY_BUFFER, this.matrices);
    for (let column = 0; column < 4; column += 1) {
      gl.vertexAttribPointer(3 + column, 4, gl.FLOAT, false, 64, column * 16);
      gl.vertexAttribDivisor(3 + column, 1);
      gl.vertexAttrib4fv(3 + column, [0, 1, 2, 3].map((row) => (row === column ? 1 : 0)));
    }
  }

  draw(scene, matrix, lift, stage) {
    const gl = this.#context;
    gl.viewport(0, 0, this.#canvas.width, this.#canvas.height);
    gl.clearColor(0, 0, 0, 0);
    gl.clear(gl.COLOR_BUFFER_BIT);
    if (scene.count === 0) return;
    const clip = product(translation(-1, 1), scaling(2 / stage.width, -2 / stage.height, 0));
    gl.uniformMatrix4fv(this.view, false, Float32Array.from(product(clip, matrix)));
    gl.uniform1f(this.lift, lift);
    gl.bindBuffer(gl.ARRAY_BUFFER, this.boxes);
    gl.bufferData(gl.ARRAY_BUFFER, scene.boxes.subarray(0, scene.count * BOX), gl.STREAM_DRAW);
    if (scene.hasMatrices) {
      gl.bindBuffer(gl.ARRAY_BUFFER, this.matrices);
      gl.bufferData(gl.ARRAY_BUFFER, scene.matrices.subarray(0, scene.count * 16), gl.STREAM_DRAW);
    }
    for (let column = 3; column < 7; column += 1) {
      if (scene.hasMatrices) gl.enableVertexAttribArray(column);
      else gl.disableVertexAttribArray(column);
    }
    gl.drawArraysInstanced(gl.TRIANGLE_STRIP, 0, 4, scene.count);
  }
}

class CanvasPainter {
  kind = "canvas";
  #canvas;
  #context;
  #corners = new Float64Array(8);

  constructor(canvas) {
    this.#canvas = canvas;
    this.#context = canvas.getContext("2d");
  }

  draw(scene, matrix, lift, stage) {
    const context = this.#context, scale = this.#canvas.width / stage.width, corners = this.#corners;
    context.setTransform(scale, 0, 0, scale, 0, 0);
    context.clearRect(0, 0, stage.width, stage.height);
    let style = "";
    for (let index = 0; index < scene.count; index += 1) {
      if (!scene.corners(index, matrix, lift, corners)) continue;
      const at = index * BOX, { boxes } = scene;
      const next = `rgba(${boxes[at + 8] * 255 | 0},${boxes[at + 9] * 255 | 0},${boxes[at + 10] * 255 | 0},${boxes[at + 5]})`;
      // A canvas takes longer to read a colour than to fill a box.
      if (next !== style) context.fillStyle = style = next;
      if (corners[1] === corners[3] && corners[0] === corners[6]) {
        context.fillRect(corners[0], corners[1], corners[4] - corners[0], corners[5] - corners[1]);
        continue;
      }
      context.beginPath();
      for (let corner = 0; corner < 8; corner += 2) context.lineTo(corners[corner], corners[corner + 1]);
      context.fill();
    }
  }
}
