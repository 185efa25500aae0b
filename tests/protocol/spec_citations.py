"""Tests that hold the program to rules of protocol/SPEC.md and stand among tests of other things.

Tests written for a rule name it themselves, with ``@pytest.mark.spec("C3")``.
"""

from typing import Final

PIPE: Final = "tests/e2e/test_pipe_rows.py"
LIFETIME: Final = "tests/e2e/test_pipe_lifetime.py"
ORDER: Final = "tests/e2e/test_pipe_order.py"
CASES: Final = "tests/e2e/test_cases_sessions.py"
SESSIONS: Final = "tests/handlers/sessions"

CITED: Final[dict[str, tuple[str, ...]]] = {
    "W1": (f"{PIPE}::test_headers_are_read_in_any_form",),
    "W2": (
        f"{PIPE}::test_a_stream_that_cannot_be_followed_ends_the_process",
        "tests/e2e/test_pipe_pressure.py::test_a_body_over_the_cap_is_skipped_in_constant_memory",
    ),
    "W3": (f"{PIPE}::test_what_is_no_request_is_refused",),
    "W4": (
        f"{PIPE}::test_what_is_no_request_is_refused",
        f"{PIPE}::test_unknown_notifications_and_replies_are_ignored",
        f"{PIPE}::test_an_id_in_work_is_not_taken_again",
    ),
    "W5": (
        "tests/server/test_limits.py::test_depth_at_its_limit",
        "tests/e2e/test_pipe_pressure.py::test_too_many_values_are_refused_before_they_are_built",
    ),
    "W6": (f"{SESSIONS}/test_commands.py::test_params_that_are_no_object_are_an_error",),
    "W7": (f"{PIPE}::test_user_data_comes_back_as_the_same_json",),
    "W8": (
        f"{ORDER}::test_answers_come_in_the_order_of_requests",
        f"{ORDER}::test_a_task_runs_beside",
        f"{ORDER}::test_notifications_follow_the_answer_that_caused_them",
    ),
    "W9": (
        f"{ORDER}::test_a_request_that_waits_can_be_cancelled",
        f"{ORDER}::test_a_request_that_does_not_look_is_served_to_its_end",
    ),
    "W10": (f"{PIPE}::test_a_fault_is_told_by_an_error_id_and_nothing_else",),
    "W11": (
        "tests/e2e/test_pipe_pressure.py::test_a_host_that_never_reads_costs_no_memory_and_loses_nothing",
    ),
    "W13": (
        "tests/protocol/test_schema.py::test_the_converter_accepts_params_if_and_only_if_the_schema_does",
        "tests/protocol/test_schema.py::test_a_closed_object_is_never_part_of_an_answer",
    ),
    "W15": (
        f"{ORDER}::test_a_task_reports_progress_to_whoever_gave_a_token",
        f"{ORDER}::test_a_task_can_be_cancelled",
        "tests/cli/test_conformance.py::test_this_installation_answers_as_recorded",
    ),
    "L1": (f"{PIPE}::test_requests_before_initialize_and_after_shutdown_are_refused",),
    "L2": ("tests/cli/test_conformance.py::test_this_installation_answers_as_recorded",),
    "L3": (
        "tests/cli/test_conformance.py::test_this_installation_answers_as_recorded",
        f"{SESSIONS}/test_processes.py::test_a_session_whose_process_was_killed_is_interrupted_at_the_next_start",
    ),
    "L4": (
        "tests/e2e/test_pipe_main.py::test_a_database_that_is_refused_ends_it_with_its_code",
        "tests/store/test_hostile_files.py::test_it_is_refused_and_left_as_it_is",
    ),
    "L5": (
        f"{LIFETIME}::test_the_end_of_stdin_is_a_clean_end",
        f"{LIFETIME}::test_signals_end_it_cleanly",
        f"{PIPE}::test_exit_without_shutdown_is_a_fault_of_the_host",
        "tests/e2e/test_pipe_main.py::test_a_bad_command_line_is_a_usage_error",
    ),
    "L6": (
        f"{LIFETIME}::test_a_closed_stdout_ends_it",
        f"{LIFETIME}::test_the_end_of_the_process_named_in_initialize_ends_it",
        f"{LIFETIME}::test_a_parent_that_was_gone_before_it_could_be_watched_ends_it",
    ),
    "G3": (
        "tests/core/test_nodes.py::test_a_name_is_trimmed_and_composed",
        "tests/core/test_nodes.py::test_impossible_names_are_refused",
        "tests/core/test_nodes.py::test_renaming_one_leaves_names_that_contain_it_alone",
    ),
    "G5": ("tests/formats/test_flat.py::test_more_than_a_project_may_hold_is_refused",),
    "G6": (
        "tests/core/test_nodes.py::test_a_component_that_nobody_knows_takes_the_given_ports",
        "tests/formats/test_comfyui.py::test_only_what_the_file_cannot_tell_is_missing",
    ),
    "G7": (
        "tests/core/test_nodes.py::test_a_known_component_gives_ports_and_defaults",
        "tests/core/test_nodes.py::test_the_persons_node_stands_exactly_where_asked",
        "tests/core/test_nodes.py::test_the_assistants_node_never_lands_on_another_and_says_where_it_went",
    ),
    "G8": ("tests/core/test_placement.py::test_the_gap_is_kept_around_what_is_placed",),
    "G9": (
        "tests/core/test_nodes.py::test_a_removed_node_takes_its_edges_and_leaves_its_group",
        "tests/core/test_nodes.py::test_reconnecting_joins_every_pair_that_fits_and_reports_the_others",
        "tests/core/test_nodes.py::test_a_definition_goes_with_its_last_instance_and_takes_those_only_it_used",
    ),
    "G10": (
        "tests/core/test_nodes.py::test_move_node_is_absolute_and_keeps_membership",
        "tests/core/test_nodes.py::test_a_frame_never_shrinks",
        "tests/core/test_nodes.py::test_bends_between_nodes_moved_alike_move_along",
    ),
    "G11": ("tests/core/test_nodes.py::test_an_empty_annotation_is_none",),
    "G12": (
        "tests/core/test_edges.py::test_fitting_types_are_joined",
        "tests/core/test_edges.py::test_types_that_do_not_fit_are_refused",
        "tests/core/test_edges.py::test_an_occupied_input_is_replaced_in_one_step_and_the_old_edge_reported",
        "tests/core/test_edges.py::test_the_same_pair_again_changes_nothing",
    ),
    "G13": ("tests/core/test_edges.py::test_cycles_are_fine_in_other_formats",),
    "G14": (
        "tests/core/test_edges.py::test_an_edge_is_removed_by_id_or_by_its_ends",
        "tests/core/test_edges.py::test_a_retargeted_edge_stays_the_same_edge",
    ),
    "G15": (
        "tests/core/test_parameters.py::test_allowed_values_are_set",
        "tests/core/test_parameters.py::test_a_place_inside_a_value_is_set",
        "tests/core/test_parameters.py::test_an_instance_has_values_of_its_own",
    ),
    "G16": (
        "tests/core/test_components.py::test_every_bound_node_in_every_scope_follows_a_replaced_component",
        "tests/core/test_components.py::test_parameters_are_kept_by_name_and_the_rest_is_put_aside",
        "tests/core/test_components.py::test_edges_that_no_longer_fit_are_dropped_and_reported",
    ),
    "G17": (
        "tests/core/test_components.py::test_what_a_node_executes_gives_its_ports",
        "tests/core/test_components.py::test_a_renamed_port_keeps_its_edges",
    ),
    "G18": (
        "tests/core/test_import_workflow.py::test_everything_is_added_under_new_ids",
        "tests/core/test_import_workflow.py::test_title_and_document_stay",
        "tests/core/test_import_workflow.py::test_the_same_file_again_uses_its_definitions_again",
    ),
    "G19": (
        "tests/core/test_open_native.py::test_everything_is_replaced_by_what_the_file_holds",
        "tests/core/test_open_native.py::test_the_document_tells_the_hash_of_what_was_opened",
    ),
    "G20": (
        "tests/core/test_create_subgraph.py::test_nodes_become_one_instance_with_their_outer_edges",
        "tests/core/test_create_subgraph.py::test_one_outside_source_that_feeds_many_becomes_one_input_that_feeds_all",
    ),
    "G21": (
        "tests/core/test_insert_subgraph.py::test_an_existing_definition_gives_one_more_linked_instance",
        "tests/core/test_insert_subgraph.py::test_a_definition_cannot_come_to_hold_itself",
    ),
    "G22": (
        "tests/core/test_dissolve_subgraph.py::test_the_last_instance_gives_its_things_away_under_their_ids",
        "tests/core/test_dissolve_subgraph.py::test_one_of_two_instances_gives_copies_and_leaves_all_else_as_it_was",
        "tests/core/test_dissolve_subgraph.py::test_no_edge_into_a_parameter_is_lost",
    ),
    "G23": (
        "tests/core/test_subgraph_io.py::test_removing_an_input_takes_all_its_edges_and_no_other",
        "tests/core/test_subgraph_io.py::test_an_added_input_shows_on_every_instance_unconnected",
        "tests/core/test_subgraph_io.py::test_what_is_not_there_or_taken_is_refused",
    ),
    "G24": (
        "tests/core/test_edges.py::test_boundary_ends_join_inside_a_definition",
        "tests/core/test_import_workflow.py::test_an_import_into_a_definition_shows_in_all_instances",
    ),
    "G25": (
        "tests/core/test_groups.py::test_loose_nodes_are_grouped",
        "tests/core/test_groups.py::test_the_members_of_a_removed_group_go_to_the_group_around_it",
    ),
    "S1": (
        f"{SESSIONS}/test_commands.py::test_a_batch_lands_as_a_whole_as_one_revision",
        f"{SESSIONS}/test_commands.py::test_a_batch_that_is_refused_leaves_nothing_of_it",
    ),
    "S2": (
        f"{SESSIONS}/test_commands.py::test_the_same_command_again_is_acknowledged_without_effect",
        f"{CASES}::test_a_retry_after_256_other_commands_and_a_restart_is_acknowledged",
    ),
    "S3": (
        f"{SESSIONS}/test_events.py::test_a_run_writes_on_the_branch_it_was_started_on",
        f"{SESSIONS}/test_events.py::test_the_first_outcome_of_a_run_is_kept",
        f"{SESSIONS}/test_events.py::test_late_events_of_a_run_that_ended_are_ignored",
    ),
    "S4": (
        f"{CASES}::test_branches_stay_what_they_were_through_20_switches_and_a_restart",
        f"{SESSIONS}/test_reading.py::test_any_branch_can_be_read_and_none_is_selected_by_it",
        f"{SESSIONS}/test_reading.py::test_a_cursor_keeps_its_branch_and_place_while_messages_come",
    ),
    "S5": (
        f"{SESSIONS}/test_processes.py::test_a_session_whose_process_was_killed_is_interrupted_at_the_next_start",
    ),
    "S6": (
        f"{SESSIONS}/test_files.py::test_an_exported_session_comes_in_as_it_was",
        f"{SESSIONS}/test_files.py::test_what_does_not_hold_together_is_refused",
    ),
    "S7": (
        f"{SESSIONS}/test_restoring.py::test_chat_and_graph_go_back_to_a_prompt_together",
        f"{SESSIONS}/test_restoring.py::test_a_command_that_is_refused_leaves_the_graph_too",
    ),
    "S8": (
        f"{SESSIONS}/test_search.py::test_words_are_all_there_and_everything_else_is_text",
        f"{SESSIONS}/test_search.py::test_all_branches_are_searched",
    ),
    "F1": ("tests/formats/test_reader.py::test_the_shape_tells_the_format",),
    "F2": (
        "tests/formats/test_comfyui_real_files.py::test_an_untouched_file_comes_back",
        "tests/formats/test_comfyui_real_files.py::test_setting_a_parameter_changes_that_value_alone",
        "tests/formats/test_round_trips.py::test_a_sample_is_detected_and_comes_back",
    ),
    "F3": (
        "tests/formats/test_comfyui.py::test_widget_values_have_names_where_the_file_tells_them",
    ),
    "F4": (
        "tests/formats/test_reader.py::test_what_is_not_json_is_unreadable",
        "tests/core/test_import_workflow.py::test_a_file_that_cannot_be_imported_changes_nothing",
    ),
    "F5": (
        "tests/formats/test_round_trips.py::test_every_format_can_be_written_as_every_other_and_read_again",
    ),
    "E6": ("tests/protocol/test_spec.py::test_every_code_is_told",),
    "E7": (
        "tests/protocol/test_spec.py::test_every_code_is_told",
        "tests/cli/test_conformance.py::test_the_errors_of_requests_are_answered",
    ),
    "E4": (
        "tests/store/test_failed_commits.py::test_a_sync_that_fails_for_good_leaves_the_commit_open",
        "tests/store/test_failed_commits.py::test_a_failed_commit_is_all_there_or_not_at_all",
    ),
}
