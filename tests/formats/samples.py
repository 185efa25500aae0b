"""One hand-made file of each format, with something of everything in it."""

from typing import Any

COMFYUI: dict[str, Any] = {
    "id": "5f0f5b3e-66a1-4b1e-9a6e-0d2a3c1f7b11",
    "revision": 0,
    "last_node_id": 9,
    "last_link_id": 12,
    "nodes": [
        {
            "id": 1,
            "type": "CheckpointLoaderSimple",
            "pos": [0, 0],
            "size": [300, 100],
            "flags": {},
            "order": 0,
            "mode": 0,
            "inputs": [],
            "outputs": [
                {"name": "MODEL", "type": "MODEL", "links": [1]},
                {"name": "CLIP", "type": "CLIP", "slot_index": 1, "links": [2]},
                {"name": "VAE", "type": "VAE", "links": []},
            ],
            "properties": {"Node name for S&R": "CheckpointLoaderSimple"},
            "widgets_values": ["base.safetensors"],
        },
        {
            "id": 2,
            "type": "CLIPTextEncode",
            "pos": {"0": 400, "1": 20.5},
            "size": {"0": 300, "1": 120},
            "flags": {"collapsed": True, "pinned": True},
            "order": 1,
            "mode": 2,
            "inputs": [
                {"name": "clip", "type": "CLIP", "link": 2},
                {"name": "text", "type": "STRING", "widget": {"name": "text"}, "link": None},
            ],
            "outputs": [{"name": "CONDITIONING", "type": "CONDITIONING", "links": [3, 99]}],
            "title": "What to draw",
            "properties": {"annotation": "The first prompt."},
            "widgets_values": ["a lighthouse"],
            "color": "#232",
        },
        {
            "id": 3,
            "type": "KSampler",
            "pos": [800, 0],
            "size": [300, 260],
            "flags": {"collapsed": False},
            "order": 2,
            "mode": 4,
            "inputs": [
                {"name": "model", "type": "MODEL", "link": 1},
                {"name": "positive", "type": "CONDITIONING", "link": 3},
                {"name": "seed", "type": "INT", "widget": {"name": "seed"}, "link": 4},
            ],
            "outputs": [{"name": "LATENT", "type": ["LATENT", "IMAGE"], "links": [5]}],
            "properties": {},
            "widgets_values": [7, "randomize", 20, 8, "euler", "normal", 1],
        },
        {
            "id": 4,
            "type": "0d3f8a52-0b53-4f0e-8a42-6f2f6e1b9c01",
            "pos": [1200, 0],
            "size": [200, 60],
            "flags": {},
            "order": 3,
            "mode": 0,
            "inputs": [{"name": "samples", "type": "LATENT", "link": 5}],
            "outputs": [{"name": "image", "type": "IMAGE", "links": None}],
            "properties": {"proxyWidgets": [["2", "scale"]]},
            "widgets_values": [2],
        },
        {
            "id": "n5",
            "type": "PrimitiveInt",
            "pos": [500, 300],
            "size": [200, 60],
            "mode": 0,
            "outputs": [{"name": "INT", "type": "INT", "links": [4]}],
            "widgets_values": {"value": 7},
        },
        {"id": 6, "type": "Note", "pos": [0, 400], "widgets_values": ["Remember the seed."]},
    ],
    "links": [
        [1, 1, 0, 3, 0, "MODEL"],
        [2, 1, 1, 2, 0, "CLIP"],
        [3, 2, 0, 3, 1, "CONDITIONING"],
        [4, "n5", "0", 3, 2, "INT"],
        [5, 3, 0, 4, 0, "LATENT"],
        [6, 77, 0, 3, 9, "X"],
    ],
    "groups": [
        {"id": 1, "title": "All", "bounding": [-50, -100, 1600, 700], "color": "#3f789e"},
        {"title": "Prompt", "bounding": [390, -60, 320, 300], "font_size": 24, "flags": {}},
        {"title": "", "bounding": [9000, 0, 10, 10]},
    ],
    "definitions": {
        "subgraphs": [
            {
                "id": "0d3f8a52-0b53-4f0e-8a42-6f2f6e1b9c01",
                "version": 1,
                "state": {"lastGroupId": 0, "lastNodeId": 2, "lastLinkId": 3, "lastRerouteId": 1},
                "revision": 0,
                "config": {},
                "name": "Finish",
                "inputNode": {"id": -10, "bounding": [-200, 0, 120, 60]},
                "outputNode": {"id": -20, "bounding": [600, 0, 120, 60]},
                "inputs": [
                    {
                        "id": "in-1",
                        "name": "samples",
                        "type": "LATENT",
                        "linkIds": [1],
                        "pos": [0, 0],
                    },
                    {"id": "in-2", "name": "scale", "type": "FLOAT", "linkIds": [3]},
                ],
                "outputs": [{"id": "out-1", "name": "image", "type": "IMAGE", "linkIds": [2]}],
                "widgets": [],
                "nodes": [
                    {
                        "id": 2,
                        "type": "Upscale",
                        "pos": [0, 0],
                        "size": [200, 80],
                        "inputs": [
                            {"name": "samples", "type": "LATENT", "link": 1},
                            {
                                "name": "scale",
                                "type": "FLOAT",
                                "widget": {"name": "scale"},
                                "link": 3,
                            },
                        ],
                        "outputs": [{"name": "IMAGE", "type": "IMAGE", "links": [2]}],
                        "widgets_values": [1.5],
                    }
                ],
                "groups": [],
                "links": [
                    {
                        "id": 1,
                        "origin_id": -10,
                        "origin_slot": 0,
                        "target_id": 2,
                        "target_slot": 0,
                        "type": "LATENT",
                    },
                    {
                        "id": 2,
                        "origin_id": 2,
                        "origin_slot": 0,
                        "target_id": -20,
                        "target_slot": 0,
                        "type": "IMAGE",
                        "parentId": 1,
                    },
                    {
                        "id": 3,
                        "origin_id": -10,
                        "origin_slot": 1,
                        "target_id": 2,
                        "target_slot": 1,
                        "type": "FLOAT",
                    },
                    {
                        "id": 4,
                        "origin_id": 2,
                        "origin_slot": 0,
                        "target_id": -20,
                        "target_slot": 5,
                        "type": "IMAGE",
                    },
                ],
                "reroutes": [{"id": 1, "pos": [300, 40], "linkIds": [2]}],
                "extra": {},
            }
        ]
    },
    "config": {},
    "extra": {
        "ds": {"scale": 1, "offset": [0, 0]},
        "linkExtensions": [{"id": 5, "parentId": 2}, {"id": 3, "parentId": 1}],
        "reroutes": [
            {"id": 1, "pos": [1120, 10], "linkIds": [5, 3]},
            {"id": 2, "parentId": 1, "pos": [1150, 30.5], "linkIds": [5]},
        ],
        "linkPresentation": {"1": {"hidden": True}, "2": {"label": "words"}},
    },
    "version": 0.4,
}

COMFYUI_API: dict[str, Any] = {
    "3": {
        "inputs": {
            "seed": 5,
            "model": ["4", 0],
            "sizes": {"__value__": [1, 2]},
            "odd": [1, 2, 3],
            "lost": ["99", 1],
        },
        "class_type": "KSampler",
        "_meta": {"title": "Sampler"},
    },
    "4": {"class_type": "CheckpointLoaderSimple", "inputs": {"ckpt_name": "base.safetensors"}},
    "5:2": {"inputs": {"samples": ["3", 0], "vae": ["4", 2]}, "class_type": "VAEDecode"},
}

NODE_RED: list[Any] = [
    {"id": "t1", "type": "tab", "label": "Flow 1", "disabled": False, "info": ""},
    {
        "id": "sf",
        "type": "subflow",
        "name": "Twice",
        "info": "Does it twice.",
        "category": "",
        "in": [{"x": 60, "y": 80, "wires": [{"id": "a1"}]}],
        "out": [{"x": 300, "y": 80, "wires": [{"id": "a1", "port": 0}, {"id": "sf", "port": 0}]}],
        "env": [{"name": "N", "type": "num", "value": "2"}],
        "color": "#DDAA99",
        "outputLabels": ["twice"],
        "status": {"x": 1, "y": 2, "wires": [{"id": "a1", "port": 0}]},
    },
    {"id": "a1", "type": "function", "z": "sf", "name": "f", "func": "return msg;", "outputs": 1, "x": 180, "y": 80, "wires": [[]]},
    {"id": "cfg", "type": "mqtt-broker", "name": "", "broker": "example.org"},
    {"id": "g0", "type": "group", "z": "t1", "name": "Outer", "style": {}, "nodes": ["g1"], "x": 0, "y": 0, "w": 400, "h": 200},
    {"id": "g1", "type": "group", "z": "t1", "g": "g0", "name": "", "style": {"label": True, "fill": "#fff"}, "nodes": ["n1", "n2", "ghost"], "x": 10, "y": 10, "w": 300, "h": 90},
    {"id": "n1", "type": "inject", "z": "t1", "g": "g1", "name": "", "props": [{"p": "payload"}], "repeat": "", "x": 100, "y": 40.5, "wires": [["n2", "nope", "n2"]]},
    {"id": "n2", "type": "subflow:sf", "z": "t1", "g": "g1", "name": "", "env": [], "x": 250, "y": 40, "wires": [["n3", "j"]]},
    {"id": "j", "type": "junction", "z": "t1", "x": 300, "y": 40, "wires": [["n3"]]},
    {"id": "n3", "type": "debug", "z": "t1", "d": True, "name": "out", "active": True, "x": 400, "y": 40, "wires": []},
    {"id": "t2", "type": "tab", "label": "Flow 2"},
    {"id": "lo", "type": "link out", "z": "t2", "name": "", "mode": "link", "links": ["li", "gone"], "x": 100, "y": 100, "wires": []},
    {"id": "li", "type": "link in", "z": "t2", "name": "", "links": ["lo"], "x": 200, "y": 100, "wires": [["n9"]]},
    {"id": "n9", "type": "switch", "z": "t2", "x": 300, "y": 100, "wires": [[], ["n3"]], "outputs": 2},
    {"id": "n9", "type": "debug", "z": "t2", "x": 300, "y": 200, "wires": [["li"]]},
    {"id": "c", "type": "comment", "z": "t9", "name": "hey", "info": "text", "x": 1, "y": 2, "wires": []},
]  # fmt: skip

N8N: dict[str, Any] = {
    "name": "Orders",
    "nodes": [
        {"parameters": {}, "id": "u1", "name": "When clicking", "type": "n8n-nodes-base.manualTrigger", "typeVersion": 1, "position": [0, 0]},
        {"parameters": {"x": "={{ $('When clicking').item.json.a }}", "y": "$('When clicking')"}, "id": "u2", "name": "Set", "type": "n8n-nodes-base.set", "typeVersion": 3.4, "position": [200, 0], "disabled": True},
        {"parameters": {"rules": {"values": [1, 2]}}, "id": "u3", "name": "Set1", "type": "n8n-nodes-base.switch", "position": [400, 0.5], "notes": "hi"},
        {"parameters": {}, "id": "u3", "name": "Set1", "type": "n8n-nodes-base.switch", "position": [600, 0]},
        {"parameters": {}, "name": "", "type": "x", "position": "a"},
        {"parameters": {"content": "A note"}, "id": "s", "name": "Sticky Note", "type": "n8n-nodes-base.stickyNote", "typeVersion": 1, "position": [0, 300]},
        {"parameters": {}, "id": "m", "name": "Model", "type": "lm", "position": [1, 2], "credentials": {"api": {"id": "1", "name": "key"}}},
    ],
    "pinData": {"Set": [{"json": {"a": 1}}]},
    "connections": {
        "Set1": {"main": [None, [], [{"node": "Set", "type": "main", "index": 0}]]},
        "Ghost": {"main": [[{"node": "Set", "type": "main", "index": 0}]]},
        "When clicking": {
            "main": [
                [
                    {"node": "Set", "type": "main", "index": 0},
                    {"node": "Nope", "type": "main", "index": 0},
                    {"node": "Set", "type": "main", "index": 0},
                    {"node": "Set1", "index": 0, "type": "main"},
                ]
            ]
        },
        "Model": {"ai_languageModel": [[{"node": "Set1", "type": "ai_languageModel", "index": 0}]]},
    },
    "nodeGroups": [{"id": "g", "name": "Both", "nodeIds": ["u1", "zz", "u2"], "description": "d"}],
    "active": False,
    "settings": {"executionOrder": "v1"},
}  # fmt: skip

_HANDLE = "{œdataTypeœ:œChatInputœ,œidœ:œL1œ,œnameœ:œmessageœ,œoutput_typesœ:[œMessageœ]}"
REACT_FLOW: dict[str, Any] = {
    "nodes": [
        {"id": "a", "type": "input", "position": {"x": 0, "y": 0.1}, "data": {"label": "A", "v": 1}},
        {"id": "k", "parentId": "g", "position": {"x": 10, "y": 20.2}, "data": {"label": "k"}, "extent": "parent"},
        {"id": "g", "type": "group", "position": {"x": 100, "y": 100.3}, "data": {"label": None}, "style": {"width": 200, "height": 100, "c": 1}},
        {"id": "g2", "type": "group", "parentId": "g", "position": {"x": 5, "y": 5}, "data": {"label": "Inner"}, "width": 50, "height": 50},
        {"id": "p", "type": "panel", "position": {"x": 5, "y": 5}, "data": {}, "measured": {"width": 10, "height": 20}},
        {"id": "q", "type": "x", "position": {"x": 7, "y": 7}, "parentNode": "p", "data": {"label": ""}, "draggable": False},
        {"id": "q", "type": "x", "position": {"x": 9, "y": 7}, "data": {}},
        {"id": "L1", "type": "genericNode", "position": {"x": 1, "y": 2}, "data": {"type": "ChatInput", "id": "L1", "node": {"display_name": "Chat In", "template": {"_type": "C", "code": {"type": "code", "value": "x=1"}, "inp": {"input_types": ["Message"], "type": "str", "value": ""}}, "outputs": [{"name": "message", "types": ["Message"]}, {"name": "other", "types": []}]}}},
    ],
    "edges": [
        {"id": "e1", "source": "a", "target": "k", "sourceHandle": None},
        {"source": "a", "target": "k", "id": "dup"},
        {"id": "e2", "source": "k", "target": "zz"},
        {"id": "e3", "source": "L1", "sourceHandle": _HANDLE, "target": "q", "targetHandle": "t", "data": {"sourceHandle": {"dataType": "ChatInput", "id": "L1", "name": "message", "output_types": ["Message"]}}, "label": "hey", "animated": True},
    ],
    "viewport": {"x": 0, "y": 0, "zoom": 1},
}  # fmt: skip

GRAPH: dict[str, Any] = {
    "schemaVersion": 1,
    "title": "Mine",
    "document": {"documentId": "d", "format": "comfyui", "native": {"comfyui": {"rest": {"version": 0.4}}}},
    "graph": {
        "nodes": [
            {"nodeId": "a", "componentId": "x", "position": {"x": 1, "y": 2}, "outputs": [{"name": "o", "dataType": "*"}]},
            {"componentId": "x", "nodeId": "b", "position": {"x": 1, "y": 2}, "inputs": [{"name": "i", "dataType": "*"}], "native": {"q": 1}},
            {"nodeId": "b", "componentId": "subgraph:nope", "position": {"x": 1, "y": 2}},
            {"nodeId": "s", "componentId": "subgraph:def", "position": {"x": 9, "y": 2}, "inputs": [{"name": "in", "dataType": "*"}]},
        ],
        "edges": [
            {"edgeId": "e", "source": {"nodeId": "a", "portId": "o"}, "target": {"nodeId": "b", "portId": "i"}},
            {"edgeId": "e", "source": {"nodeId": "a", "portId": "o"}, "target": {"nodeId": "b", "portId": "i"}},
            {"edgeId": "f", "source": {"nodeId": "z", "portId": "o"}, "target": {"nodeId": "b", "portId": "i"}},
        ],
        "groups": [{"groupId": "g", "name": "G", "nodeIds": ["a", "gone"], "bounds": None}],
        "subgraphs": [
            {
                "subgraphId": "def",
                "name": "D",
                "inputs": [{"name": "in", "dataType": "*"}],
                "nodes": [{"nodeId": "i", "componentId": "x", "position": {"x": 0, "y": 0}, "inputs": [{"name": "i", "dataType": "*"}]}],
                "edges": [{"edgeId": "b", "source": {"boundary": "input", "portId": "in"}, "target": {"nodeId": "i", "portId": "i"}}],
            }
        ],
    },
}  # fmt: skip

SAMPLES: dict[str, Any] = {
    "comfyui": COMFYUI,
    "comfyui-api": COMFYUI_API,
    "node-red": NODE_RED,
    "n8n": N8N,
    "react-flow": REACT_FLOW,
    "graph": GRAPH,
}
